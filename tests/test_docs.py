"""What the documentation shows is true: its code runs, its commands exist, its additions are short."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import c4agents
from c4env import Position
from c4play.cli import COMMANDS, available

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
C4 = Path(sys.executable).with_name("c4")
LONGEST = 30
"""Lines an addition may have, blank ones and the file's name left out."""


def blocks(page: Path, language: str = "python") -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return [text for kind, text in fenced if kind == language]


def run(arguments: list[str | Path], folder: Path) -> str:
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def additions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that docs/extending.md shows, by the names in their first lines."""
    folder = tmp_path_factory.mktemp("extending")
    for block in blocks(ROOT / "docs/extending.md"):
        (folder / block.partition("\n")[0].removeprefix("# ")).write_text(block)
    return folder


def test_additions_are_short(additions: Path) -> None:
    names = {path.name for path in additions.iterdir()}
    assert names == {"careful.py", "parity.py", "clone.py"}
    for path in additions.iterdir():
        lines = [line for line in path.read_text().splitlines()[1:] if line.strip()]
        assert len(lines) < LONGEST, path.name


def test_the_commands_beside_them_work(additions: Path) -> None:
    commands = [line for block in blocks(ROOT / "docs/extending.md", "") for line in block.splitlines()]
    assert len(commands) == 4
    for line in commands:
        command = shlex.split(line)
        done = subprocess.run([C4, *command[1:]], capture_output=True, text=True, cwd=additions)
        found_leaks = command[1] == "certify" and done.returncode == 1
        assert done.returncode == 0 or found_leaks, done.stderr
        assert command[2] in done.stdout


def test_the_agent_wins_blocks_and_keeps_off_traps(additions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(additions)
    agent = importlib.import_module("careful").Careful()
    assert agent.act(Position.from_moves("414141")) == 3
    assert agent.act(Position.from_moves("41414")) == 3
    assert agent.act(Position.from_moves("717172")) == 6


def test_the_training_method_trains_a_policy(additions: Path, tmp_path: Path) -> None:
    program = (additions / "clone.py").read_text()
    short = tmp_path / "clone.py"
    short.write_text(program.replace("total_steps=40_000", "total_steps=4_096"))
    assert short.read_text() != program
    assert "saved runs/clone/policy.safetensors" in run([sys.executable, short], tmp_path)
    agent = c4agents.make(f"policy:{tmp_path}/runs/clone/policy.safetensors")
    assert agent.act(Position()) in range(7)


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name == "docs"], ids=lambda page: page.name)
def test_code_runs_in_the_order_of_the_page(page: Path, tmp_path: Path) -> None:
    if page.name == "extending.md":
        pytest.skip("its blocks are files of their own, tested above")
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks(page)))
    run([sys.executable, script], tmp_path)


def test_every_option_that_is_shown_exists() -> None:
    known = {name: options(name) for name in available()}
    for page in PAGES:
        for name, rest in re.findall(r"\bc4 ([a-z]+)\b([^`\n|]*)", page.read_text()):
            if name not in known:
                continue
            for option in re.findall(r"(?<!\S)(--[a-z-]+)", rest):
                assert option in known[name], f"{page.name}: c4 {name} {option}"


def options(name: str) -> set[str]:
    """All options of a command, those of its methods or parts included."""
    if name == "train":
        from c4train.methods import CONFIGS

        fields = {field.name for config in CONFIGS.values() for field in dataclasses.fields(config)}
        return {"--" + field.replace("_", "-") for field in fields} | {"--help"}
    parser = argparse.ArgumentParser()
    importlib.import_module(f"c4play.commands.{name}").configure(parser)
    return found_in(parser)


def found_in(parser: argparse.ArgumentParser) -> set[str]:
    found: set[str] = set()
    for action in parser._actions:
        found |= set(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            for part in action.choices.values():
                found |= found_in(part)
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_an_example(name: str) -> None:
    if name not in available():
        pytest.skip(f"c4 {name} is not installed")
    parser = argparse.ArgumentParser(prog=f"c4 {name}")
    importlib.import_module(f"c4play.commands.{name}").configure(parser)
    assert re.search(rf"examples:\n  c4 {name}\b", parser.epilog or "")
    for action in parser._actions:
        parts = getattr(action, "_choices_actions", [action])  # a command's parts have their own help
        assert all(part.help for part in parts), f"{action.option_strings or action.dest} says nothing"
