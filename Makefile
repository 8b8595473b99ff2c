# Everything runs in .venv, made from this project's own files; Python 3.11 or newer is all that must be there.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
PEERS := .bench-venv

# Tests start hundreds of processes; each would compile all modules again without bytecode.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-thorough lint format docs bench bench-large figures constraints clean

demo: $(VENV)/ready
	$(RUN)/sfumato demo out/demo

test: $(VENV)/warm
	$(RUN)/pytest -n 2 --dist loadfile

# The same tests with twenty times as many random examples; takes hours.
test-thorough: $(VENV)/warm
	SFUMATO_THOROUGH=20 $(RUN)/pytest -n 2 --dist loadfile

lint: $(VENV)/ready
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy

format: $(VENV)/ready
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .

docs: $(VENV)/docs
	$(RUN)/python -m tests.reference_pages
	$(RUN)/zensical build --clean --strict
	$(RUN)/pytest tests/test_docs.py -k the_site

bench: $(VENV)/ready $(PEERS)/ready
	$(RUN)/python -m benchmarks

bench-large: $(VENV)/ready
	$(RUN)/python -m benchmarks --large

figures: $(VENV)/ready
	$(RUN)/python -m benchmarks.figures

# Versions of all dependencies are chosen anew only when somebody asks for it, never because a file looks older.
constraints: | $(RUN)/uv
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url \
		--all-extras --group dev --group docs pyproject.toml -o constraints.txt

$(RUN)/uv:
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.5"

$(VENV)/ready: pyproject.toml constraints.txt | $(RUN)/uv
	$(RUN)/uv pip install --quiet --python $(RUN)/python --compile-bytecode \
		--constraint constraints.txt --editable . --group dev
	touch $@

# Compiled loops are made by one process before several test with them, and again when a loop has changed.
$(VENV)/warm: $(VENV)/ready $(shell grep -rl --include='*.py' kernels.compiled src)
	$(RUN)/sfumato warm
	touch $@

$(VENV)/docs: $(VENV)/ready
	$(RUN)/uv pip install --quiet --python $(RUN)/python --compile-bytecode --constraint constraints.txt --group docs
	touch $@

$(PEERS)/ready: benchmarks/peers.txt | $(RUN)/uv
	$(RUN)/uv venv --quiet --allow-existing --python $(RUN)/python $(PEERS)
	$(RUN)/uv pip install --quiet --python $(PEERS)/bin/python --compile-bytecode --requirement benchmarks/peers.txt
	touch $@

clean:
	rm -rf $(VENV) $(PEERS) out site .pytest_cache .mypy_cache .ruff_cache .hypothesis
