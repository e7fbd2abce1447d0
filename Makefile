# Every target sets up its own .venv first; PYTHON=... chooses the interpreter that it is made from.
PY := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help test verify nightly prove lint types format wheel venv clean distclean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

test: lint types ## lint, types and tests
	$(PY) -m pytest

verify: venv ## the main job: check what the project claims, and say what was checked
	@$(PY) -m ivme.verify

nightly: lint types ## all tests, also those that take minutes, with many more examples
	HYPOTHESIS_PROFILE=nightly $(PY) -m pytest -m ""

prove: venv ## all proofs, with the verdicts just obtained (see proofs/README.md)
	@$(PY) -m proofs

lint: venv ## ruff, rules and format
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: venv ## mypy --strict over all folders
	$(PY) -m mypy

format: venv ## let ruff rewrite what it can
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

wheel: venv ## build the wheel and the source archive into dist/
	$(PY) -m hatchling build

venv: ## set up .venv if it is not up to date
	@PYTHON="$(PYTHON)" sh tools/venv.sh

clean: ## remove caches and build outputs
	rm -rf build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find ivme spec reference tests proofs -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove .venv too
	rm -rf .venv
