"""How often intervals of a judge's agreement with people cover the truth."""
