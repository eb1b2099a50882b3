# Everything runs from .venv, made here at the locked versions; nothing global is touched.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: setup demo test check format lint types imports bench lock clean

setup: .venv/.ready

# What is locked is installed again only when the lock changes; the stamp comes last, so a setup that was cut short starts over.
.venv/.locked: requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kbot needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...")'
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "$(PYTHON) lacks the venv module: install it (Debian, Ubuntu: apt-get install python3-venv) or name another Python with: make PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(PIP) install --quiet --require-hashes --only-binary :all: -r requirements-dev.lock
	touch $@

.venv/.ready: .venv/.locked pyproject.toml
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	touch $@

demo: setup
	$(BIN)/kbot demo

test: setup
	$(BIN)/pytest

check: format lint types imports test

format: setup
	$(BIN)/ruff format --check .

# Without a cache: which import is first-party hangs on files beside the one that is cached.
lint: setup
	$(BIN)/ruff check --no-cache .

types: setup
	$(BIN)/pyright

imports: setup
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m bench

# requirements.lock is what an installed kbot needs, requirements-dev.lock all that is used here; versions and hashes only:
# whose index they come from is the installing machine's affair. Needs uv.
COMPILE := uv pip compile --quiet pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --no-header --no-annotate --upgrade

lock:
	$(COMPILE) --group dev --extra e5 --extra gguf --extra langchain --extra rerank -o requirements-dev.lock
	$(COMPILE) --constraint requirements-dev.lock -o requirements.lock

clean:
	rm -rf .venv .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist build
