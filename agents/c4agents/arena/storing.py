"""Writing results so that a file is there whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def write_text(path: Path, text: str) -> None:
    """Write ``text``, whole or not at all, making the folder if need be.

    Raises:
        ValueError: It can't be written.
    """
    part = path.with_name(f"{path.name}.part{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise ValueError(f"can't write {path}: {error.strerror}") from None


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write ``content`` as JSON like :func:`write_text`."""
    write_text(path, json.dumps(content, indent=2) + "\n")
