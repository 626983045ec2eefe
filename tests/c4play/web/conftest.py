"""The application, and a real server on a free port."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from c4play.web.app import create_app

COMMAND = [sys.executable, "-c", "import sys; from c4play.cli import main; sys.exit(main())", "web"]


@dataclass(frozen=True)
class Running:
    """A server that runs: its port and its process."""

    port: int
    pid: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


@pytest.fixture(scope="session")
def app() -> Any:
    return create_app()


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    process = subprocess.Popen([*COMMAND, "--port", "0", "--no-open"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield Running(int(line.split("127.0.0.1:")[1].split("/")[0]), process.pid)
    finally:
        process.terminate()
        process.wait(20)
