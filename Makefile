# Two commands do everything: `make run` and `make test`. Both make the environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo/demo.edgemem

.PHONY: run test lint bench torture clean models docs keys screenshots site recording compare compare-writing lock package

run: $(VENV)/.installed
	$(BIN)/edgemem models pull
	@mkdir -p demo
	$(BIN)/edgemem demo tests/data/conversation.jsonl --questions tests/data/conversation.questions.jsonl --file $(DEMO)

test: lint models
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

models: $(VENV)/.dev
	$(BIN)/edgemem models pull --test

bench: $(VENV)/.dev models
	$(BIN)/python tests/benchmarks/bench_engine.py
	$(BIN)/python tests/benchmarks/bench_store.py
	$(BIN)/python -m tests.benchmarks.bench_vectors
	$(BIN)/python -m tests.benchmarks.bench_tui

# Hours of damage: kills, power cuts, flipped bits. `make test` runs a short form of each.
torture: $(VENV)/.dev
	$(BIN)/python -m tests.torture.kill 1000
	$(BIN)/python -m tests.torture.power 1000
	$(BIN)/python -m tests.torture.flips 1000
	$(BIN)/python -m tests.torture.concurrency --writes 5000
	$(BIN)/python -m tests.torture.erasure --erasures 200
	$(BIN)/python -m tests.torture.isolation --operations 100000

# Twenty thousand keys at random in the terminal app.
keys: $(VENV)/.dev
	$(BIN)/python -m tests.tui.random_keys 20000

# The pictures of every screen that the tests compare with, and those of the README and the documentation. Look at them before you keep them.
screenshots: $(VENV)/.dev
	$(BIN)/python -m tests.tui.snapshots
	$(BIN)/python -m tests.tui.snapshots --readme

docs: $(VENV)/.dev
	$(BIN)/python -m tests.docs_reference
	$(BIN)/python -m tests.docs_api

# The documentation as a site, in build/site.
site: $(VENV)/.dev docs
	$(BIN)/mkdocs build --strict

# Beside other tools, in an environment of their own: make compare SETS="locomo.json memorybank.jsonl"
PEERS := build/peers
compare: models $(PEERS)/.installed
	$(PEERS)/bin/python -m tests.benchmarks.side_by_side $(SETS)

# What each writes of the same dialogues with the same chat model: make compare-writing SETS="extraction.jsonl"
compare-writing: models $(PEERS)/.installed
	$(PEERS)/bin/python -m tests.benchmarks.written $(SETS)

$(PEERS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	@$(PATIENT) $(PEERS)/bin/python -m pip install --quiet . mem0ai langmem langgraph-checkpoint-sqlite sqlite-vec pysqlite3-binary
	@touch $@

# What is published: built, looked into, installed afresh with every extra; licences and SBOM. In build/package.
package: $(VENV)/.package
	$(BIN)/python -m tests.package

# The versions of everything, for every system. Without it `make` would install whatever is newest that day.
lock: $(VENV)/.package
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --group package --group training --universal --python-version 3.11 --upgrade \
		--no-annotate --custom-compile-command "make lock" --quiet --output-file constraints.txt

recording: $(VENV)/.dev models
	$(BIN)/python -m tests.recording

# For what says nothing for minutes: `$(PATIENT) COMMAND` tells every half minute that it still goes on, and ends as COMMAND ends.
PATIENT := sh -c '"$$@" & job=$$!; trap "kill $$job 2>/dev/null" EXIT INT TERM; seconds=0; \
	while sleep 1 && kill -0 $$job 2>/dev/null; do seconds=$$((seconds + 1)); \
	[ $$((seconds % 30)) -ne 0 ] || echo "  … still at it, $$seconds seconds so far"; done; wait $$job' --

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "edgemem needs Python 3.11 or newer; $(PYTHON) is not. Name another: make PYTHON=python3.12"; exit 1; }
	@command -v "$${CXX:-c++}" > /dev/null || { \
		echo "llama.cpp is built from source and needs a C++ compiler. Debian, Ubuntu: apt install build-essential"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@echo "Installing. llama-cpp-python is built from source: about 5 minutes on two free cores."
	@$(PATIENT) $(BIN)/python -m pip install --quiet --constraint constraints.txt -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev
	@touch $@

$(VENV)/.package: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group package
	@touch $@

clean:
	rm -rf $(VENV) demo .mypy_cache .ruff_cache .hypothesis build dist
