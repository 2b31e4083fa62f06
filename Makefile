PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo picture test lint types tests wheel-check clean

demo: $(STAMP)
	$(BIN)/consensa demo --output demo/labels.csv --report demo/report.html --force

picture: $(STAMP)
	$(BIN)/python -m bench.report_picture

test: lint types tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

tests: $(STAMP)
	$(BIN)/pytest -n 2 --dist worksteal

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $(STAMP)

clean:
	rm -rf $(VENV) demo dist build .mypy_cache .ruff_cache .pytest_cache
