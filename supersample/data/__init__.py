"""Files and tables in, validated Scores Datasets out."""
