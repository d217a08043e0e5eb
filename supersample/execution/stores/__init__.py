"""Where results are kept: stores, manifests, locks and cells."""
