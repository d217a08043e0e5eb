"""Result Datasets as tables and figures."""
