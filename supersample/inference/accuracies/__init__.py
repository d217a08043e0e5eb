"""Pairwise accuracies and the sign-flip p-values that they are made of."""
