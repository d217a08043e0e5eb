# Everything runs in .venv, which the first target to need it sets up from pinned versions.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test test-slurm lint types check format constraints experiments calibration benchmark clean

demo: $(READY)  ## the main job on the embedded example
	$(BIN)/supersample rank --example --out demo-out --overwrite

test: lint types check  ## lint, types and tests

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY)
	$(BIN)/mypy

check: $(READY)
	$(BIN)/pytest -n auto --dist worksteal

test-slurm: $(READY)  ## runs on a SLURM of one node, started here; needs root, slurm-wlm and munge
	SUPERSAMPLE_SLURM=1 $(BIN)/pytest tests/slurm

format: $(READY)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

experiments: $(READY)  ## every table and figure of the papers that the data allows
	$(BIN)/python -m experiments

benchmark: $(READY)  ## speed and memory, as ratios in one run; tables and pictures in benchmarks/results
	$(BIN)/python -m benchmarks

calibration: $(READY)  ## coverage of every interval, in experiments/calibration
	$(BIN)/python -m experiments.calibration

constraints: $(READY)  ## pin what is installed now
	$(BIN)/pip freeze --exclude-editable > constraints.txt

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf .venv demo-out
