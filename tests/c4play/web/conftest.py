"""The application, a real server on a free port, and a browser that opens its page."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from c4agents.solver import Solver
from c4play.web.app import create_app
from tests.c4play.web.browser import CHROMIUM, OPTIONS

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs chromium (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS, timeout=120_000)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()


@pytest.fixture
def open_page(browser: Browser, server: Running) -> Iterator[Callable[..., Page]]:
    """Opens the page; afterwards nothing may have been written to the console."""
    said: list[str] = []
    contexts = []

    def open_(address: str = "", width: int = 1240, height: int = 860, motion: str = "reduce", **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion=motion, **options)
        context.set_default_timeout(120_000)  # other work may have the machine
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("requestfailed", lambda failed: said.append(f"{failed.url} {failed.failure}"))
        page.goto(server.address + address)
        page.wait_for_selector("body[data-ready]")
        expect.set_options(timeout=60_000)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert [line for line in said if "ERR_ABORTED" not in line] == []  # questions the page itself took back
