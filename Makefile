PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS_STAMP := $(VENV)/.installed-docs

.PHONY: demo picture test quick lint types tests docs evidence bench-check fuzz kills soak matrix wheel-check clean

# The environment of development if it is there, else a small one with the package and nothing more.
DEMO_VENV := $(if $(wildcard $(STAMP)),$(VENV),.venv-demo)
demo: $(DEMO_VENV)/.installed
	$(DEMO_VENV)/bin/consensa demo --output demo/labels.csv --report demo/report.html --force

.venv-demo/.installed: pyproject.toml
	@echo "Installing consensa into .venv-demo: about 500 MB, a minute or two."
	$(PYTHON) -m venv .venv-demo
	.venv-demo/bin/python -m pip install --quiet .
	touch .venv-demo/.installed

picture: $(STAMP)
	$(BIN)/python -m tools.report_picture

test: lint types tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

# An answer in about a minute, once the kernels are compiled: the rooms, their examples and the rules of the house,
# without the tests that run every method, every page or other processes.
QUICK := $(addprefix tests/,ensemble weigh relate partition evaluate generate io methods/test_worked_examples.py \
	methods/test_bad_input.py project/test_architecture.py project/test_public_api.py) src
quick: lint $(STAMP)
	$(BIN)/pytest -n 2 --dist worksteal -q -m "not slow" $(QUICK)

tests: $(STAMP)
	$(BIN)/pytest -n 2 --dist worksteal --durations=30

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $(STAMP)

# The site in docs/_build/html; warnings are errors. A second run builds only what changed.
docs: $(DOCS_STAMP)
	$(BIN)/sphinx-build -W --keep-going -b html -d docs/_build/doctrees docs docs/_build/html

$(DOCS_STAMP): $(STAMP) pyproject.toml
	$(BIN)/python -m pip install --quiet --group docs
	touch $(DOCS_STAMP)

# All tables and figures of the papers from the data in DATA, into docs/evidence, from the kept draws on. Stopped, it goes on.
DATA ?= $(CONSENSA_DATA)
RUNS ?= 20
evidence: $(STAMP)
	$(BIN)/python -m studies make-pool --data-dir "$(DATA)"
	$(BIN)/python -m studies draws --drop --data-dir "$(DATA)"
	$(BIN)/python -m studies reproduce --paper all --runs $(RUNS) --data-dir "$(DATA)"
	$(BIN)/python -m studies evidence --data-dir "$(DATA)"

# Which ratios moved since COMMIT (the last tag): both trees turn by turn, about ten minutes.
bench-check: $(STAMP)
	$(BIN)/python -m bench check $(if $(COMMIT),--commit $(COMMIT))

# Random inputs to everything for some minutes; what breaks is kept, small, in fuzz-findings. FIRST=n for other cases,
# TALLY=file to count the cases of every commit and to go on with new ones.
MINUTES ?= 5
FIRST ?= 0
fuzz: $(STAMP)
	$(BIN)/python -m tools.fuzz --minutes $(MINUTES) --first $(FIRST) $(if $(TALLY),--tally $(TALLY))

# Commands that are killed at random moments, KILLS times each by each of three signals, and then run again.
KILLS ?= 100
kills: $(STAMP)
	$(BIN)/python -m tools.kills --kills $(KILLS)

# Fits, reports and saves in threads and processes; memory, threads and open files must end where they began.
soak: MINUTES = 60
soak: $(STAMP)
	$(BIN)/python -m tools.soak --minutes $(MINUTES)

# Every Python that is here, the lowest and the newest versions of what is needed, every extra alone, the bare package.
matrix: $(STAMP)
	$(BIN)/python -m tools.matrix

# Build wheel and source distribution in dist/, and try both in an empty environment.
wheel-check: $(STAMP)
	$(BIN)/python -m pip install --quiet --group release
	$(BIN)/python -m tools.check_release

clean:
	rm -rf docs/_build docs/api/generated docs/gallery $(VENV) .venv-demo demo dist build .mypy_cache .ruff_cache .pytest_cache
