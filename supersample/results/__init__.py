"""What results share: variables, signature, ranking, and the folder they are written to."""
