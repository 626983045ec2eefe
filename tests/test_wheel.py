"""The wheel: what it holds, that it works from another folder, and what it says where an extra is missing.

It is built from the sdist and put into a folder of its own with what is installed here around it, so nothing is
downloaded.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = {"c4env": "c4env", "c4agents": "agents/c4agents", "c4train": "train/c4train", "c4play": "play/c4play"}
DATA = (".safetensors", ".md", ".book", ".npz", ".typed", ".html", ".js", ".css", ".svg")

BLOCKER = """
import os, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in os.environ["ABSENT"].split():
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


@dataclass(frozen=True)
class Installed:
    """A wheel in a folder, and another folder to work in."""

    wheel: Path
    sdist: Path
    site: Path
    blocker: Path
    work: Path

    def environment(self, absent: Sequence[str] = ()) -> Mapping[str, str]:
        paths = [str(self.site)] if not absent else [str(self.blocker), str(self.site)]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "ABSENT": " ".join(absent)}

    def run(self, *arguments: str, absent: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        """Run ``python`` with these arguments, or ``c4`` if the first one says so."""
        command = [sys.executable, *arguments]
        if arguments[0] == "c4":
            command = [sys.executable, str(self.site / "bin/c4"), *arguments[1:]]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=self.work, env=self.environment(absent), check=False
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    site = folder / "site"
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        str(site),
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True)
    (folder / "blocker").mkdir()
    (folder / "blocker/sitecustomize.py").write_text(BLOCKER)
    (folder / "work").mkdir()
    return Installed(wheel, sdist, site, folder / "blocker", folder / "work")


def test_it_holds_every_file_of_the_packages_and_nothing_else(installed: Installed) -> None:
    names = [name for name in zipfile.ZipFile(installed.wheel).namelist() if ".dist-info/" not in name]
    tracked = {
        f"{package}/{path.relative_to(ROOT / folder)}"
        for package, folder in PACKAGES.items()
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", *DATA) or path.name == "py.typed"
    }
    assert set(names) == tracked
    assert len(names) == len(set(names))


def test_weights_cards_book_positions_page_and_types_are_in_it(installed: Installed) -> None:
    names = set(zipfile.ZipFile(installed.wheel).namelist())
    shipped = "c4agents/policy/shipped"
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert {f"{shipped}/policy.safetensors", f"{shipped}/policy-selfplay.safetensors"} <= names
    assert {f"{shipped}/policy.md", f"{shipped}/policy-selfplay.md"} <= names
    assert {"c4agents/solver/openings.book", "c4agents/arena/data/evaluation_set.npz"} <= names
    assert {f"c4play/web/static/{name}" for name in ("index.html", "main.js", "style.css", "favicon.svg")} <= names


def test_the_sdist_has_what_a_developer_needs_and_no_local_files(installed: Installed) -> None:
    with tarfile.open(installed.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "pyproject.toml",
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "constraints.txt",
        "Makefile",
    }
    assert wanted <= names
    assert {name.partition("/")[0] for name in names} <= wanted | {
        ".gitignore",
        "PKG-INFO",
        "agents",
        "benchmarks",
        "c4env",
        "docs",
        "play",
        "tests",
        "train",
    }
    assert not [name for name in names if re.search(r"__pycache__|\.nb[ic]$|/runs/", name)]


def test_it_is_the_wheel_that_runs(installed: Installed) -> None:
    program = (
        "import c4env, c4agents, c4train, c4play; print(*(m.__file__ for m in (c4env, c4agents, c4train, c4play)))"
    )
    paths = installed.run("-c", program).stdout.split()
    assert len(paths) == 4
    assert all(Path(path).is_relative_to(installed.site) for path in paths)


def test_it_plays_a_game(installed: Installed) -> None:
    done = installed.run("-m", "c4env", "--seed", "4")
    assert "wins after" in done.stdout, done.stderr


def test_it_solves_a_position(installed: Installed) -> None:
    done = installed.run("c4", "solve", "", "--columns")
    assert done.stdout.split() == ["-2", "-1", "0", "1", "0", "-1", "-2"], done.stderr


def test_it_evaluates_the_shipped_policy(installed: Installed) -> None:
    done = installed.run("c4", "eval", "policy", "--games", "2", "--rung", "random", "--perfect-games", "0")
    assert "keeps the outcome" in done.stdout, done.stderr
    share = re.search(r"^  all +4,350 +([\d.]+)%", done.stdout, re.MULTILINE)
    assert share
    assert float(share[1]) > 90


def test_it_serves_the_page(installed: Installed) -> None:
    command = [sys.executable, str(installed.site / "bin/c4"), "web", "--no-open", "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=installed.work, env=installed.environment()
    )
    try:
        assert server.stdout is not None
        said = server.stdout.readline()
        found = re.search(r"http://[\d.]+:\d+/", said)
        assert found, said
        page = urllib.request.urlopen(found[0], timeout=60).read().decode()
        parts = re.findall(r'(?:src|href)="/?([^"#:]+\.(?:js|css|svg))"', page)
        assert parts
        for part in parts:
            answer = urllib.request.urlopen(found[0] + part, timeout=60)
            assert answer.status == 200
            assert answer.read(), part
    finally:
        server.terminate()
        server.wait(timeout=60)


MATCH = ("match", "random", "rules", "--games", "2")
MISSING = [
    (MATCH, "scipy", "arena"),
    ((*MATCH, "--workers", "2"), "joblib", "arena"),
    ((*MATCH, "--ray", "local"), "ray", "cluster"),
    (("ladder", "random", "rules", "--games", "2"), "choix", "arena"),
    (("eval", "rules", "--games", "0"), "scipy", "arena"),
    (("eval", "rules", "--games", "0", "--output", "report"), "matplotlib", "arena"),
    (("eval", "policy", "--games", "0", "--perfect-games", "0"), "torch", "train"),
    (("certify", "policy", "--first"), "torch", "train"),
    (("play", "--first", "policy", "--second", "hard"), "torch", "train"),
    (("eval", "policy-selfplay", "--games", "0", "--perfect-games", "0"), "safetensors", "train"),
    (("train",), "torch", "train"),
    (("train", "ppo", "--smoke"), "tyro", "train"),
    (("dataset", "build", "data", "--positions", "10", "--workers", "2"), "joblib", "arena"),
    (("export", "policy.safetensors", "policy.onnx"), "torch", "train"),
    (("web", "--no-open", "--port", "0"), "starlette", "web"),
    (("web", "--no-open", "--port", "0"), "uvicorn", "web"),
]


@pytest.mark.parametrize(
    ("command", "library", "extra"), MISSING, ids=lambda one: one if isinstance(one, str) else one[0]
)
def test_a_missing_extra_is_named_in_one_sentence(
    installed: Installed, command: tuple[str, ...], library: str, extra: str
) -> None:
    done = installed.run("c4", *command, absent=[library])
    said = [line for line in done.stderr.splitlines() if "compiling for this machine" not in line]
    assert done.returncode == 2
    assert len(said) == 1, done.stderr
    assert re.fullmatch(
        rf'c4 {command[0]}: .*needs? {library}.*: pip install "c4env\[[a-z,]*{extra}[a-z,]*\]"', said[0]
    )


def test_export_without_onnx_names_its_extra(installed: Installed) -> None:
    weights = str(installed.site / "c4agents/policy/shipped/policy.safetensors")
    done = installed.run("c4", "export", weights, "policy.onnx", absent=["onnx"])
    assert (done.returncode, done.stderr) == (2, 'c4 export: export needs onnx: pip install "c4env[onnx]"\n')


@pytest.mark.parametrize(
    ("program", "library", "extra"),
    [
        ("import c4env.aec", "pettingzoo", "pettingzoo"),
        ("import c4env.sb3", "stable_baselines3", "sb3"),
        ("import c4env.env as e; e.ConnectFourEnv(render_mode='human').reset()", "pygame", "render"),
    ],
)
def test_modules_name_their_extra_too(installed: Installed, program: str, library: str, extra: str) -> None:
    done = installed.run("-c", program, absent=[library])
    assert re.search(rf'needs .*: pip install "c4env\[{extra}\]"$', done.stderr.strip())


def test_benchmarks_are_said_to_be_elsewhere(installed: Installed) -> None:
    done = installed.run("c4", "bench", "--quick")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "in a copy of the repository" in done.stderr


def test_without_any_extra_the_rest_works(installed: Installed) -> None:
    everything = "torch safetensors scipy choix matplotlib starlette uvicorn ray joblib onnx pygame pettingzoo "
    absent = (everything + "stable_baselines3 sb3_contrib tyro tensorboard").split()
    for command in (("agents",), ("solve", "4453"), ("play", "--first", "random", "--second", "rules"), ("--version",)):
        done = installed.run("c4", *command, absent=absent)
        assert done.returncode == 0, done.stderr
        assert done.stdout
