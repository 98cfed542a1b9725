"""The influence of each row on a metric: the source of standard errors."""
