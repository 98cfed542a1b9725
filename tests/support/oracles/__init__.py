"""Each metric a second way, in plain Python: an entry in ``ORACLES`` per metric."""
