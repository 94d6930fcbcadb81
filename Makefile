PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help env demo test lint bench torture test-slurm lock clean

help:
	@echo "make demo        environment, then the main road on sample_data/ into demo/"
	@echo "make test        linter, types, tests"
	@echo "make bench       speed of ingest, build and bills"
	@echo "make torture     many random kills and hostile inputs"
	@echo "make test-slurm  a real Slurm: run jobs, ingest through sacct, bill"
	@echo "make lock        renew requirements.lock from pyproject.toml"

env: $(VENV)/.done

$(VENV)/.done: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "hesuan needs Python 3.11 or newer; name it: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: env
	$(BIN)/hesuan demo --out demo

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/pytest -n auto --dist loadfile

bench: env
	$(BIN)/pytest -m bench -s -p no:xdist tests/bench

torture: env
	$(BIN)/pytest -m torture

test-slurm: env
	$(BIN)/pytest -m slurm -s tests/slurm

lock:
	uv pip compile --universal --generate-hashes --extra dev pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
