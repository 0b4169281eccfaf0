# Everything a contributor runs. Needs python3 (3.11 or newer) and make; uses uv when it is on PATH.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
MANIFESTS := pyproject.toml constraints.txt integrations/langchain/pyproject.toml integrations/llama_index/pyproject.toml
PRODUCT := -e '.[all]' -e 'integrations/langchain[agents]' -e integrations/llama_index
TYPED := hydra_web integrations/langchain/langchain_hydra_web integrations/llama_index/llama_index
PURE := hydra_web/types.py,hydra_web/errors.py,hydra_web/urls.py,hydra_web/domains.py,hydra_web/signals.py,hydra_web/charset.py,hydra_web/text.py,hydra_web/disposer.py,hydra_web/protocols.py,hydra_web/redaction.py,hydra_web/retries.py,hydra_web/runtime/_selection.py,hydra_web/tools/merge.py,hydra_web/tools/render.py,hydra_web/tools/arguments.py,hydra_web/tools/schemas.py,hydra_web/tools/guidance.py,hydra_web/tools/present.py,hydra_web/tools/scope.py,hydra_web/evidence/_folding.py,hydra_web/evidence/citations.py,hydra_web/evidence/records.py,hydra_web/net/_addresses.py,hydra_web/net/_media.py,hydra_web/net/_tables.py,hydra_web/net/_redirects.py,hydra_web/providers/_mapping.py,hydra_web/providers/_locale.py,hydra_web/providers/_dates.py,hydra_web/research/snapshot.py,hydra_web/store/_values.py

ifdef UV
create = $(UV) venv --quiet --allow-existing --python $(PYTHON) $(1)
install = $(UV) pip install --quiet --python $(1)/bin/python
else
create = $(PYTHON) -m venv $(1)
install = $(1)/bin/python -m pip install --quiet --disable-pip-version-check
endif

.PHONY: demo test check types bench docs-check check-dist test-all test-lowest format clean

demo: $(VENV)/.product  ## set everything up and show the product at work, with no key and no network
	@$(BIN)/hydra-web demo

test: $(VENV)/.dev  ## set everything up and run the whole test suite with its coverage gates
	$(BIN)/python -m pytest --cov --cov-report=
	$(BIN)/python -m coverage report --fail-under=95
	$(BIN)/python -m coverage report --fail-under=100 --include='$(PURE)'

check: $(VENV)/.dev  ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy $(TYPED)
	$(BIN)/lint-imports
	PATH="$(abspath $(BIN)):$$PATH" pyright --ignoreexternal --verifytypes hydra_web
	PATH="$(abspath $(BIN)):$$PATH" pyright --ignoreexternal --verifytypes langchain_hydra_web

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev  ## comparisons with peers; they say which peers and corpora are absent
	for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs-check: $(VENV)/.dev  ## snippets, generated tables and notebooks
	$(BIN)/python -m pytest tests/test_docs.py tests/test_doc_tables.py tests/notebooks

check-dist: $(VENV)/.dev  ## build wheels and sdists, install them into a clean venv, try them
	PYTHON=$(PYTHON) BUILD=$(abspath $(BIN)/python) bash .ci/check-dist

test-all:  ## the suite on every interpreter found
	for version in 3.11 3.12 3.13 3.14; do \
	  if python$$version -c '' 2>/dev/null; then $(MAKE) test PYTHON=python$$version VENV=.venv-$$version || exit 1; fi; done

test-lowest:  ## the suite with the lowest supported dependencies (needs uv)
	uv venv --quiet --allow-existing --python $(PYTHON) .venv-lowest
	uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct $(PRODUCT) -e '.[dev]'
	.venv-lowest/bin/python -m pytest

clean:
	rm -rf .venv .venv-* dist build htmlcov .coverage* .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.product: $(MANIFESTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hydra-web needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	@echo "Setting up $(VENV) with hydra-web, LangChain and LlamaIndex; the first time this takes a few minutes."
	$(call create,$(VENV))
	$(call install,$(VENV)) -c constraints.txt $(PRODUCT)
	@touch $@

$(VENV)/.dev: $(VENV)/.product
	$(call install,$(VENV)) -c constraints.txt $(PRODUCT) -e '.[dev]'
	@touch $@
