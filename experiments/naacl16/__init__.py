"""Graham and Liu (2016), "Achieving accurate conclusions in evaluation of metrics"."""
