"""The libraries that only the arena needs, asked for where they are used."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator


@contextlib.contextmanager
def needs_extra() -> Iterator[None]:
    """Around an import: if the library is missing, say how to install it.

    Raises:
        ValueError: The library is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ValueError(f'this needs {error.name}: pip install "c4env[arena]"') from error


def require(*libraries: str) -> None:
    """Before long work that will need ``libraries``: raise the ValueError now if one is missing."""
    with needs_extra():
        for library in libraries:
            importlib.import_module(library)
