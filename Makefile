# Every task sets up what it needs: a fresh clone with Python 3.11, pip and g++ is enough.
PYTHON ?= python3

.PHONY: setup demo test test-all coverage test-spark conformance lint bench sanitize fuzz docs figures lock clean help

setup demo test test-all coverage conformance lint bench sanitize fuzz docs figures lock:
	@$(PYTHON) dev.py $@ $(ARGS)

test-spark:
	@$(PYTHON) dev.py spark $(ARGS)

help:
	@$(PYTHON) dev.py --help

clean:
	rm -rf .venv .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
