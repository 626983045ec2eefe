"""The README's commands and snippets do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^```bash\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
SNIPPETS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_there_are_exactly_two_commands_each_on_one_line() -> None:
    assert len(COMMANDS) == 2
    assert all(command.count("\n") == 1 for command in COMMANDS)


def test_both_install_into_a_fresh_environment_with_the_constraints() -> None:
    for command in COMMANDS:
        assert command.startswith("python3 -m venv .venv && ")
        assert "-c constraints.txt -e" in command
        for extra in re.findall(r"\.\[(.*?)\]", command):
            assert set(extra.split(",")) <= set(PROJECT["optional-dependencies"])


def test_the_first_command_trains_a_policy(tmp_path: Path) -> None:
    run = COMMANDS[0].rpartition("&& ")[2].split()
    assert run == [".venv/bin/c4", "train"]
    c4 = Path(sys.executable).with_name("c4")
    done = subprocess.run([c4, *run[1:], "--smoke"], capture_output=True, text=True, check=True, cwd=tmp_path)
    policy = re.search(r"c4 play policy:(\S+)", done.stdout)
    assert policy
    assert (tmp_path / policy[1]).exists()


def test_the_demonstration_game_is_always_the_same() -> None:
    assert "python -m c4env --seed 4" in README
    outputs = [
        subprocess.run(
            [sys.executable, "-m", "c4env", "--seed", "4"], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert outputs[0] == outputs[1]
    assert "wins after" in outputs[0]


def test_the_second_command_runs_this_suite() -> None:
    assert ".venv/bin/python -m pytest" in COMMANDS[1]


def test_ci_takes_the_commands_from_here() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert "readme_command 1" in script
    assert "readme_command 2" in script


def test_snippets_run_one_after_the_other(tmp_path: Path) -> None:
    assert len(SNIPPETS) >= 5
    script = tmp_path / "readme.py"
    script.write_text("\n".join(SNIPPETS))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_there_is_a_short_example_for_each_way_in() -> None:
    for library in ("gymnasium.make(", "gymnasium.make_vec(", "SelfPlay(", "pettingzoo.make(", "MaskablePPO("):
        assert any(library in snippet for snippet in SNIPPETS), library
    assert all(snippet.count("\n") <= 20 for snippet in SNIPPETS)


def test_links_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("agents/c4agents/policy/shipped/*.md")]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_of_the_docs_is_listed() -> None:
    for page in ROOT.glob("docs/*.md"):
        assert f"](docs/{page.name})" in README, page.name


def test_results_have_their_place() -> None:
    begin, end = README.index("<!-- strength:begin -->"), README.index("<!-- strength:end -->")
    assert begin < end
