# Everything a fresh machine needs is Python ≥ 3.11, git and make.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.made
DOCS_STAMP := $(VENV)/.docs
# One more than there are cores, because many tests wait; but a container may have fewer than it sees.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); [ "$$n" -le 4 ] || n=4; echo "$$((n + 1))")
# A Python of $$version that runs: what pyenv puts on the path may be a name for none.
FIND := for p in python$$version $${PYENV_ROOT:-$$HOME/.pyenv}/versions/$$version.*/bin/python; do \
	$$p -c "" 2>/dev/null && { echo $$p; break; }; done
# Our own wrappers; there may be none yet, and tools dislike folders without Python in them.
GENERATED := $(dir $(wildcard generated/*/__init__.py))

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow test-all test-long test-lowest pytest browser picture docs lint types layers drift bench corpus clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found; set PYTHON=..." >&2; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[gen]" --group dev
	@touch $@

setup: $(STAMP) ## the virtual environment, with everything in it

$(BIN)/vcr-gen: # all that the tour needs; `setup` installs more
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[gen]"

demo: $(BIN)/vcr-gen ## the tour: generate, check, record for real, replay, catch a change
	$(BIN)/vcr-gen demo

test: lint types layers drift pytest ## everything that must hold, but for the slow tests

PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal --durations=30 --durations-min=4
pytest: $(STAMP) ## the fast tests alone
	@$(BIN)/python -m compileall -q src  # the tests start processes that leave no bytecode
	$(PYTEST) -m "not slow"

test-slow: $(STAMP) $(DOCS_STAMP) browser ## the slow tests: corpus, wheel, browser, large tapes, the site, thousands of programs
	@$(BIN)/python -m compileall -q src
	$(PYTEST) -m slow

browser: ## a Chromium to test the report in; installed where there is none, as root on Debian
	@[ -z "$$CHROMIUM" ] || exit 0; \
	for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do \
		command -v $$name >/dev/null && exit 0; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "installing chromium to test the report in" >&2; \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq --no-install-recommends chromium; } >/dev/null || true; \
	else \
		echo "no Chromium found: the tests of the report will fail; install one, or set CHROMIUM" >&2; \
	fi

picture: $(STAMP) browser ## the picture of the report in the README, taken again
	$(BIN)/python tests/html_report/take_picture.py

$(DOCS_STAMP): pyproject.toml $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs
	@touch $@

docs: $(DOCS_STAMP) ## the documentation as a site, in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict --config-file docs/website/mkdocs.yml

lint: $(STAMP) ## ruff and black
	$(BIN)/ruff check .
	$(BIN)/black --quiet --check src tests $(GENERATED) || $(BIN)/black --check src tests $(GENERATED)

types: $(STAMP) ## mypy --strict
	$(BIN)/mypy src $(GENERATED)

layers: $(STAMP) ## imports point one way
	$(BIN)/lint-imports

drift: $(STAMP) ## our own wrappers are what vcr-gen writes
	$(BIN)/vcr-gen --check
	for config in docs/examples/*/pyproject.toml; do $(BIN)/vcr-gen --check --config $$config || exit 1; done

test-all: test test-slow ## all tests, and again on 3.12 and 3.13, where they are installed
	@for version in 3.12 3.13; do \
		python=$$($(FIND)); \
		if [ -z "$$python" ]; then echo "python$$version is not installed: left out"; continue; fi; \
		$(MAKE) pytest test-slow PYTHON=$$python VENV=.venv-$$version || exit 1; \
	done

LOWEST := import tomllib; print(*(one.replace(">=", "==") for one in \
	tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["gen"]))
test-lowest: ## the generator with the oldest tools that it allows; mypy reads no newer syntax than its Python's
	@version=3.13; python=$$($(FIND)); \
	[ -n "$$python" ] || { echo "make: test-lowest needs Python 3.13" >&2; exit 2; }; \
	$(MAKE) setup PYTHON=$$python VENV=.venv-lowest && \
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check $$($$python -c '$(LOWEST)') && \
	.venv-lowest/bin/python -m pytest -n $(JOBS) --dist worksteal tests/gen

test-long: $(STAMP) ## five times as many random concurrent programs, and mutations of them
	VCR_GEN_PROGRAMS=20000 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests/concurrency

bench: $(STAMP) ## cost as ratios, so that machines compare
	$(BIN)/python -m tests.benchmarks
	$(BIN)/python tests/benchmarks/bench_files.py
	$(BIN)/python tests/benchmarks/bench_runtime.py
	$(BIN)/python tests/benchmarks/bench_http.py
	$(BIN)/python tests/benchmarks/bench_mcp.py

corpus: $(STAMP) ## wrap every Protocol of 33 public packages, both ways
	$(BIN)/python -m tests.corpus
	$(BIN)/python -m tests.corpus --inbound

clean: ## remove what make made
	rm -rf .venv .venv-3.* .venv-lowest dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .vcr-gen-cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
