"""Which interval a metric gets, and the methods that compute it."""
