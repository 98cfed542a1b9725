"""The local web server on a ledger, which is only read: runs, test sets, trends and comparisons as pages."""
