# make demo   create the environment, install, run the demonstration (runs/demo/report.html)
# make test   create the environment if needed, run all tests
# make lint   style and types
# make bench  what the engine costs, against the alternatives
# make lock   choose the locked versions anew

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test lint bench lock clean

demo: $(VENV)/installed
	$(BIN)/batchscope run mnist_10k_sgd mnist_10k_nesterov --out runs/demo

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto --dist loadfile

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/installed-dev
	$(BIN)/python benchmarks/bench_engine.py

$(VENV)/installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --requirement requirements.lock
	$(BIN)/pip install --quiet --no-deps --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.lock
	$(BIN)/pip install --quiet --requirement requirements-dev.lock
	touch $@

lock:
	uv pip compile --universal --no-header --no-emit-index-url --upgrade \
	  pyproject.toml --output-file requirements.lock
	uv pip compile --universal --no-header --no-emit-index-url --upgrade \
	  pyproject.toml --group dev --constraint requirements.lock --output-file requirements-dev.lock

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
