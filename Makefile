# Everything runs in .venv, which the first target to need it sets up from pinned versions.
PYTHON ?= python3
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := .venv/$(SCRIPTS)
READY := .venv/.ready

# Environments of the checks below lie in build/; so does what they write.
# pip reads dependency groups since 25.1.
PIP = python -m pip install --quiet --disable-pip-version-check
ENVIRONMENT = $(PYTHON) -m venv --clear $(@D) && $(@D)/$(SCRIPTS)/$(PIP) 'pip>=25.1' && $(@D)/$(SCRIPTS)/$(PIP)
PYTEST_ARGUMENTS := -n logical --dist worksteal
ROUNDS ?= 10
# What is to be newer than any release, in the weekly tests.
NEWEST := numpy scipy pandas xarray dask distributed zarr numba
# An index of nightly wheels, if they are to be used.
NIGHTLY ?=
# The branch or tag that the site is built of, and where its versions are gathered.
export DOCS_REF ?= main
SITE ?= build/site
# The last release, for `make benchmark-release`: its name on PyPI, or a wheel.
RELEASE ?= supersample
# The commit that `make benchmark-growth` compares with.
AGAINST ?= HEAD~1

# Modules are kept compiled between runs, for every worker and every process that a test starts.
unexport PYTHONDONTWRITEBYTECODE
# Each core has a worker; threads of a BLAS would only take it from another.
check coverage faults mutants check-oldest check-newest check-core: export OMP_NUM_THREADS = 1
faults: export SUPERSAMPLE_SLURM = 1

.PHONY: demo test test-slurm lint types check coverage faults mutants check-oldest check-newest check-core \
	packages wheel extras tagged conda docs docs-check site report format constraints experiments calibration benchmarks benchmark-growth benchmark-release clean

demo: $(READY)  ## the main job on the embedded example
	$(BIN)/supersample rank example --out demo-out --overwrite

test: $(READY)  ## lint, types and tests, at once
	$(MAKE) --jobs lint types check

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY)
	$(BIN)/mypy

check: $(READY)
	$(BIN)/pytest $(PYTEST_ARGUMENTS)

coverage: $(READY)  ## tests, and which lines they run, in build/coverage; compiled functions are not seen
	$(BIN)/pytest $(PYTEST_ARGUMENTS) --cov=supersample --cov-report=html:build/coverage \
		--cov-report=markdown:build/coverage.md tests

faults: $(READY)  ## hypothesis tests on many times as many examples, others in every one of ROUNDS runs
	$(BIN)/pytest $(PYTEST_ARGUMENTS) -m faults --hypothesis-profile faults tests
	for round in $$(seq $(ROUNDS)); do \
		$(BIN)/pytest $(PYTEST_ARGUMENTS) -m 'hypothesis and not faults' --hypothesis-profile faults tests || exit; \
	done

mutants: $(READY)  ## COUNT mistakes drawn by SEED in the core, which the nearest tests must find
	$(BIN)/python -m tests.faults.mutants $(SEED) $(COUNT)

check-oldest: build/oldest/.ready  ## tests with the oldest versions that pyproject.toml allows
	build/oldest/bin/python -m pytest $(PYTEST_ARGUMENTS)

check-newest: build/newest/.ready  ## tests with the newest pre-releases, or with wheels of NIGHTLY
	build/newest/bin/python -m pytest $(PYTEST_ARGUMENTS)

check-core: build/core/.ready  ## tests without the extras
	build/core/bin/python -m pytest $(PYTEST_ARGUMENTS)

packages: build/packaging/.ready  ## wheel and sdist in dist, and what they hold
	rm -rf dist
	build/packaging/bin/python -m build --outdir dist
	build/packaging/bin/twine check --strict dist/*
	$(PYTHON) -m tests.installs --contents

wheel: packages  ## the wheel in an empty environment, where it ranks within a minute
	$(PYTHON) -m tests.installs core

extras: packages  ## the wheel with each extra, and the sdist, in empty environments
	$(PYTHON) -m tests.installs

tagged: $(READY)  ## the tag TAG, the package, its recipe, citation and changelog name one version, with a date
	RELEASE_TAG=$(TAG) $(BIN)/pytest -q tests/test_packaging.py

conda: packages build/conda/.ready  ## the conda package, with stand-ins for conda-forge's packages
	build/conda/bin/python recipe/build.py --stand-ins

docs: $(READY)  ## the documentation in build/docs; its cells run, and every warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --nitpicky --quiet \
		--jobs 2 --doctree-dir build/docs-trees docs build/docs

docs-check: docs  ## links, searches and accessibility of the documentation; without Chromium links alone
	SUPERSAMPLE_SITE=build/docs $(BIN)/pytest tests/docs/test_site.py

site: docs  ## the documentation as one of the versions of the site
	$(BIN)/python -m docs.site build/docs $(SITE) $(DOCS_REF)

report: $(READY)  ## the report in build/report, as a page and a PDF, from the committed results
	$(BIN)/python -m docs.report.build

test-slurm: $(READY)  ## runs on a SLURM of one node, started here; needs root, slurm-wlm and munge
	SUPERSAMPLE_SLURM=1 $(BIN)/pytest tests/slurm

format: $(READY)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

experiments: $(READY)  ## every table and figure of the papers that the data allows
	$(BIN)/python -m experiments

benchmarks: $(READY)  ## speed and memory, as ratios in one run; the page and its figures in benchmarks/results
	$(BIN)/python -m benchmarks

benchmark-growth: $(READY)  ## growth of rankings against the commit AGAINST, in turn
	$(BIN)/python -m benchmarks.ranking --against $(AGAINST)

benchmark-release: build/tree/.ready  ## this tree against the last release, in turn
	$(PYTHON) -m venv --clear build/release
	build/release/bin/$(PIP) --constraint constraints.txt $(RELEASE)
	build/tree/bin/python -m benchmarks._release build/release/bin/python

calibration: $(READY)  ## coverage of every interval, in experiments/calibration
	$(BIN)/python -m experiments.calibration

constraints: $(READY)  ## pin what is installed now, and the oldest versions allowed; needs uv
	$(BIN)/pip freeze --exclude-editable > constraints.txt
	uv pip compile --quiet --resolution lowest-direct --python-version 3.11 --no-annotate \
		--custom-compile-command "make constraints" --extra text --extra slurm --extra s3 --extra fetch \
		--group test pyproject.toml --output-file constraints-oldest.txt

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/$(PIP) 'pip>=25.1'
	$(BIN)/$(PIP) --constraint constraints.txt --editable '.[text,slurm,s3,fetch,excel]' --group dev
	touch $(READY)

build/oldest/.ready: pyproject.toml constraints-oldest.txt
	$(ENVIRONMENT) --constraint constraints-oldest.txt --editable '.[text,slurm,s3,fetch]' --group test
	touch $@

build/core/.ready: pyproject.toml constraints.txt
	$(ENVIRONMENT) --constraint constraints.txt --editable . --group test
	touch $@

build/newest/.ready: pyproject.toml
	$(ENVIRONMENT) --editable '.[text,slurm,s3,fetch]' --group test
	build/newest/bin/$(PIP) --pre --upgrade $(if $(NIGHTLY),--extra-index-url $(NIGHTLY)) $(NEWEST)
	touch $@

build/tree/.ready: pyproject.toml constraints.txt
	$(ENVIRONMENT) --constraint constraints.txt --editable .
	touch $@

build/packaging/.ready:
	$(ENVIRONMENT) build twine
	touch $@

# what the package needs, without the package
build/conda/.ready: pyproject.toml
	$(ENVIRONMENT) py-rattler-build 'setuptools>=77' .
	build/conda/bin/python -m pip uninstall --quiet --yes supersample
	touch $@

clean:
	rm -rf .venv build dist demo-out
