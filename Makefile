# Every task sets up what it needs: a fresh clone with Python 3.11, its headers, pip and g++ is enough.
PYTHON ?= python3
SETUP = @$(PYTHON) dev.py
IN = PATH="$(CURDIR)/.venv/bin:$$PATH"
# On all cores, in the order of the files unless ARGS asks for another.
PYTEST = python -m pytest -n auto -q $(if $(findstring randomly,$(ARGS)),,-p no:randomly)
SOURCES = $(shell find cpp -name '*.[ch]pp')
UNDER = -m pytest -q -n auto -p no:cacheprovider --capture=sys tests  # a sanitizer writes to the file descriptor

.PHONY: help setup demo test test-all coverage test-spark test-portable test-lowest conformance lint bench sanitize sanitize-address \
	sanitize-thread fuzz docs site figures lock wheels clean

help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

setup:  ## make the environment and build, nothing else
	$(SETUP) dev

demo:  ## the main job on bundled data
	$(SETUP) core
	@$(IN) python -m assay demo $(ARGS)

test:  ## the tests but for the slow ones (ARGS go to pytest)
	$(SETUP) dev
	@$(IN) $(PYTEST) $(if $(filter -m,$(ARGS)),,-m "not slow") $(ARGS)

test-all:  ## all tests
	$(SETUP) dev
	@$(IN) $(PYTEST) $(ARGS)

coverage:  ## all tests, and the lines of Python and C++ that none of them runs
	$(SETUP) dev --folder .venv-coverage --define ASSAY_COVERAGE=ON
	@find build/venv-coverage -name '*.gcda' -delete
	@failed=0; GCOV_ERROR_FILE=build/venv-coverage/gcov-errors.txt \
		.venv-coverage/bin/python -m pytest -n auto -q -p no:randomly --cov=assay --cov-report=term-missing:skip-covered $(ARGS) \
		|| failed=$$?; \
	.venv-coverage/bin/python -m gcovr --root . --filter cpp/ --exclude-throw-branches --sort uncovered-percent \
		--print-summary build/venv-coverage && exit $$failed

test-spark:  ## the tests on a local Spark cluster, in an environment of its own (needs Java)
	@command -v java >/dev/null || { echo "no Java found, which Spark runs on: apt-get install default-jre-headless" >&2; exit 1; }
	$(SETUP) spark --folder .venv-spark
	@.venv-spark/bin/python -m pytest -q tests/engines/test_spark.py $(ARGS)

test-portable:  ## the tests of kernels and tallies, without anything that is special to this system or CPU
	$(SETUP) dev --folder .venv-portable --define ASSAY_PORTABLE=ON
	@.venv-portable/bin/python -m pytest -n auto -q tests/kernels tests/tallies $(ARGS)

test-lowest:  ## the tests with the lowest releases of the dependencies that are allowed
	$(SETUP) dev
	@mkdir -p build && $(IN) uv pip compile -q --resolution lowest-direct --extra arrow --extra plots \
		pyproject.toml -o build/lowest.txt
	@$(IN) uv venv -q --clear --python .venv/bin/python .venv-lowest
	@$(IN) uv pip install -q --python .venv-lowest/bin/python --group build
	@$(IN) uv pip install -q --python .venv-lowest/bin/python -c build/lowest.txt '.[arrow,plots]' --group tests
	@.venv-lowest/bin/python -m pytest -n auto -q -W ignore::DeprecationWarning tests $(ARGS)  # old releases warn of new ones

conformance:  ## scikit-learn's own metrics tests, with our functions in them
	$(SETUP) dev
	@$(IN) python conformance/run.py $(ARGS)

lint:  ## ruff, mypy and clang-format
	$(SETUP) dev
	@failed=; for check in "ruff check ." "ruff format --check ." mypy "clang-format --dry-run --Werror $(SOURCES)"; do \
		$(IN) $$check || failed="$$failed $${check%% *}"; done; \
	echo "lint: $${failed:-nothing to say}"; test -z "$$failed"

bench:  ## speed against the peers, as ratios
	$(SETUP) dev bench
	@$(IN) python -m pip install -q --disable-pip-version-check -r requirements/tensors.txt \
		|| echo "no tensor libraries here; torchmetrics is left out" >&2
	@$(IN) python benchmarks/run.py $(ARGS)

sanitize: sanitize-address sanitize-thread  ## the tests under ASan, UBSan and TSan

sanitize-address:
	$(SETUP) dev --folder .venv-address --define ASSAY_SANITIZE=address,undefined
	@LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so) $$(g++ -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 ASSAY_SANITIZER=address \
	.venv-address/bin/python $(UNDER) $(ARGS)

sanitize-thread:
	$(SETUP) dev --folder .venv-thread --define ASSAY_SANITIZE=thread --define ASSAY_NO_CLONES=ON
	@LD_PRELOAD="$$(g++ -print-file-name=libtsan.so) $$(g++ -print-file-name=libstdc++.so)" \
	TSAN_OPTIONS=exitcode=66:halt_on_error=1 ASSAY_SANITIZER=thread \
	.venv-thread/bin/python $(UNDER) $(ARGS)

fuzz:  ## random bytes and inputs, for a while
	$(SETUP) dev
	@$(IN) python tests/support/fuzz.py $(ARGS)

site:  ## the documentation as a static site, in build/site (ARGS go to tools/site/build.py)
	$(SETUP) dev site
	@$(IN) python tools/site/build.py $(ARGS)
	@$(IN) python tools/site/check_search.py

docs:  ## write the pages that the code knows
	$(SETUP) dev
	@$(IN) python tools/write_docs.py

figures:  ## the reference values of the tests, by R (ARGS=--check compares)
	@$(PYTHON) tests/figures/scripts/make.py $(ARGS)

lock:  ## resolve the locked requirements (ARGS=--upgrade renews them); hashes, no hosts
	$(SETUP) dev
	@for name in core build dev bench spark site; do \
		project=pyproject.toml; group="--group $$name"; \
		case $$name in core) group=;; build) project=;; esac; \
		$(IN) uv pip compile --universal --generate-hashes --no-header --no-annotate --quiet \
			--python-version 3.11 $(ARGS) $$project $$group -o requirements/$$name.lock || exit 1; done

wheels:  ## build a wheel for old glibc and try it where there is no compiler (steps: tools/wheels.py --help)
	@$(PYTHON) tools/wheels.py $(or $(ARGS),build)
	@$(if $(ARGS),,$(PYTHON) tools/wheels.py try)

clean:  ## remove environments and builds
	rm -rf .venv .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
