"""What is typed for twenty questions, beside other tools."""
