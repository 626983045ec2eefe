# Every target works in the active environment; `make check` is what CI runs.
.PHONY: format lint type imports test check bench clean

format:
	ruff format .
	ruff check --fix .

lint:
	ruff format --check .
	ruff check .

type:
	mypy

imports:
	lint-imports

test:
	python -m pytest

check: lint type imports test

bench:
	c4 bench

# Compiled code is cached by the file a function stands in; after editing one that others call, start anew.
clean:
	find . -name '*.nb[ic]' -not -path './.venv*' -delete
