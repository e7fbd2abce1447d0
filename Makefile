# Every target sets up .venv first; PYTHON=... selects its interpreter.
PY := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help test verify nightly bench prove docs lint types format kernel wheel venv clean distclean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

test: lint types kernel ## lint, types and tests, against the compiled kernel and the pure one
	@sh tools/test.sh

verify: kernel ## check everything the project claims, write a report; VERIFY="--quick" for less
	@$(PY) -m ivme verify $(VERIFY)

nightly: lint types kernel ## all tests, including those that take minutes, with many more examples
	@HYPOTHESIS_PROFILE=nightly sh tools/test.sh -m ""

bench: kernel ## the benchmark, some 30 minutes, at most 35; BENCH="--quick" two, "--data DIR" graphs too, "--publish" into docs/
	@$(PY) -c 'import sys, duckdb, igraph, matplotlib, networkx, pyarrow, rich, scipy, typer; sys.version_info > (3, 14) or __import__("networkit")' 2>/dev/null || \
		$(PY) -m pip install -qq --disable-pip-version-check --editable '.[bench,cli]'
	@$(PY) -m bench $(BENCH)

prove: venv ## all proofs, with the verdicts just obtained (see proofs/README.md)
	@IVME_PURE=1 $(PY) -m proofs

docs: venv ## the API reference from the docstrings, into build/docs
	@rm -rf build/docs
	@$(PY) tools/reference.py build/docs
	@echo "open build/docs/index.html"

lint: venv ## ruff, rules and format
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: venv ## mypy --strict over all folders
	$(PY) -m mypy

format: venv ## let ruff rewrite what it can
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

kernel: venv ## compile the kernel in place, if it changed and there is a C compiler
	@$(PY) hatch_build.py

wheel: venv ## build the wheel and the source archive into dist/
	IVME_STRICT_BUILD=1 $(PY) -m hatchling build

venv: ## set up .venv if it is not up to date
	@PYTHON="$(PYTHON)" sh tools/venv.sh

clean: ## remove caches and build outputs
	rm -rf build dist ivme-report .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find ivme -name '*.so' -o -name '*.pyd' -o -name _kernel.txt | xargs rm -f
	find ivme bench spec reference tests proofs planted -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove .venv too
	rm -rf .venv
