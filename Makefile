# Commands of the checkout. All but `setup` and `clean` are thin lines over .venv.

# The Python to make .venv with; empty: the first that fits of those that `setup` tries.
PYTHON =
BIN = .venv/bin
SOURCES = app.py trnkit constructs_lib stacks scripts tests

.PHONY: help setup rehearse synth test test-lowest lint format docs lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1	\2/p' Makefile

setup: ## .venv and node_modules, from the locks; nothing to do when they are up to date
	@fits='import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; \
	for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11); do \
	  "$$python" -c "$$fits" >/dev/null 2>&1 && exec "$$python" scripts/setup.py; \
	done; \
	for python in $(or $(PYTHON),python3 python); do \
	  "$$python" -c '' >/dev/null 2>&1 && exec "$$python" scripts/setup.py; \
	done; \
	echo 'setup: no $(or $(PYTHON),python3) was found: install Python 3.11, 3.12 or 3.13' \
	  '(Debian and Ubuntu: sudo apt-get install python3-venv), then run `make setup` again.' >&2; \
	exit 1

rehearse: setup ## deploy an example to an emulated AWS with the real CDK, change, break and destroy it
	@$(BIN)/trnkit rehearse examples/trn2-pretrain.yaml

synth: setup ## CloudFormation templates of an example, in cdk.out
	@$(BIN)/trnkit synth examples/trn2-pretrain.yaml --out cdk.out

# Each process keeps a Node.js and perhaps an emulated AWS, together about a gigabyte.
test: setup ## every test, in as many processes as there are processors, at most 4
	@$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile \
	  --no-loadscope-reorder

test-lowest: setup ## the tests with the lowest versions that pyproject.toml allows; needs the network
	@$(BIN)/python scripts/test_lowest.py

lint: setup ## format, style, types, and who imports whom
	@$(BIN)/ruff format --check $(wildcard $(SOURCES))
	@$(BIN)/ruff check $(wildcard $(SOURCES))
	@$(BIN)/pyright
	@$(BIN)/lint-imports --no-cache

format: setup ## the code as `make lint` wants it
	@$(BIN)/ruff format $(wildcard $(SOURCES))
	@$(BIN)/ruff check --fix $(wildcard $(SOURCES))

docs: setup ## the pages that are generated from the code
	@$(BIN)/python -m scripts.generate_docs

# Keeps the locked versions that the ranges allow; `make lock UPGRADE=1` moves to the newest.
lock: setup ## requirements.lock and package-lock.json, from pyproject.toml and package.json
	@$(BIN)/python -m pip install --quiet --upgrade --target build/lock uv==0.13.9
	@build/lock/bin/uv pip compile pyproject.toml --extra rehearse --group dev --quiet --universal \
	  --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	  $(if $(UPGRADE),--upgrade) --custom-compile-command 'make lock' --output-file requirements.lock
	@$(BIN)/npm install --package-lock-only --no-audit --no-fund

clean: ## away with .venv, node_modules and everything that was made
	rm -rf .venv node_modules cdk.out build dist
