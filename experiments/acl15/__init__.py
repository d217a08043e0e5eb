"""Graham (2015), Improving evaluation of machine translation quality estimation."""
