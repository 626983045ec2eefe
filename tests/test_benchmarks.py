"""The benchmarks' results, what the pages say of them, and the command that makes them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from c4play.cli import main
from c4play.commands import bench

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"


@pytest.fixture
def render(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import render

    return render


def test_pages_say_what_the_result_files_say(render: ModuleType) -> None:
    assert render.stale(ROOT) == []


@pytest.mark.parametrize("page", ["README.md", "docs/performance.md"])
def test_another_result_makes_a_page_stale(render: ModuleType, tmp_path: Path, page: str) -> None:
    shutil.copytree(RESULTS, tmp_path / "benchmarks" / "results")
    (tmp_path / "docs").mkdir()
    for name in ("README.md", "docs/performance.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    result = tmp_path / "benchmarks" / "results" / "env_speed.json"
    changed = json.loads(result.read_text())
    for figure in changed["plies_per_second"].values():
        figure["median"] *= 1.5
    result.write_text(json.dumps(changed))
    assert tmp_path / page in render.stale(tmp_path)


def test_every_table_of_the_pages_has_its_results(render: ModuleType) -> None:
    results = render.read_results(RESULTS)
    shown = [found["name"] for page in render.pages(ROOT) for found in render.BLOCK.finditer(page.read_text())]
    assert {"env_speed", "search_speed", "solver_speed", "limits", "startup", "curves"} <= set(shown)
    for name in set(shown) - {"strength"}:  # the policies' results come with the policies
        assert render.BLOCKS[name](results), name


def test_a_marker_without_a_table_is_named(render: ModuleType) -> None:
    with pytest.raises(ValueError, match="no table 'speeed'"):
        render.rendered("<!-- speeed:begin -->\n<!-- speeed:end -->", {})


def test_a_table_without_results_stays_as_it_is(render: ModuleType) -> None:
    page = "<!-- strength:begin -->\nas before\n<!-- strength:end -->"
    assert render.rendered(page, {}) == page


def test_strength_shows_what_was_measured(render: ModuleType) -> None:
    share = {"share": 0.985, "low": 0.98, "high": 0.989}
    results = {
        "policy": {"command": "one", "evaluation_set": {"all": share, "decisive": share}},
        "policy-selfplay": {"command": "two", "certificate": {"verdict": "won", "positions": 1234, "leaks": 5}},
    }
    made = render.rendered("<!-- strength:begin -->\n<!-- strength:end -->", results)
    assert "| `policy` | 98.5 % [98.0, 98.9] | 98.5 % [98.0, 98.9] |  |" in made
    assert "5 of 1,234" in made
    assert "alphabeta" not in made
    assert render.rendered(made, results) == made


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_every_result_file_names_its_command(path: Path) -> None:
    result = json.loads(path.read_text())
    assert "benchmarks/" in result["command"]
    assert "/work" not in path.read_text()


@pytest.mark.parametrize("name", bench.BENCHMARKS)
def test_every_benchmark_is_a_script_with_help(name: str) -> None:
    script = ROOT / "benchmarks" / f"{bench.BENCHMARKS[name].script}.py"
    assert f"python benchmarks/{script.name}" in script.read_text().split('"""')[1]


def test_the_quickest_benchmark_runs(tmp_path: Path) -> None:
    command = [sys.executable, "benchmarks/curves.py", "--quick", "--only", "certify", "--json", tmp_path / "made.json"]
    subprocess.run(command, check=True, cwd=ROOT)
    made = json.loads((tmp_path / "made.json").read_text())
    assert made["command"] == "python benchmarks/curves.py --quick --only certify --json made.json"
    assert made["machine"]["cores"] > 0
    assert made["versions"]["c4env"]
    curve = made["curves"]["certify"]
    assert all(figure["low"] <= figure["median"] <= figure["high"] for figure in curve["lines"]["walk"].values())
    assert curve["megabytes_peak"] >= curve["megabytes_before"] > 0


def test_the_command_lists_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(bench.BENCHMARKS)


def test_the_command_names_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--only", "speed"]) == 2
    assert "there is no benchmark 'speed'; there are env, search" in capsys.readouterr().err


def test_without_the_repository_the_command_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "a" / "b" / "c" / "bench.py"))
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "--quick"]) == 2
    assert "run this in a copy of the repository" in capsys.readouterr().err
