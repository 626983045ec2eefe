"""A run's folder: settings, figures, checkpoints, and what survives an interruption.

::

    runs/NAME/config.json        the settings
              metrics.jsonl      figures, one line per measurement
              tensorboard/       the same for TensorBoard
              checkpoints/       everything needed to go on; the last few
              policy.safetensors the network, as agents load it
              report.md, learning.svg

Files are written whole or not at all, so a run may be killed at any time and goes on from its last checkpoint.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from c4agents.policy.network import PolicyNetwork
from c4agents.policy.weights import save_policy
from c4train.provenance import provenance

KEPT: Final = 2
"""Checkpoints that are kept."""
POLICY: Final = "policy.safetensors"

State = dict[str, Any]
"""What a checkpoint holds: tensors, numbers, strings, and dicts and lists of these."""


class Run:
    """A run folder, new or taken up again.

    Attributes:
        folder: The folder.
        state: The last checkpoint's content, None in a new run.
        seconds_before: Time the run had taken up to that checkpoint.
    """

    def __init__(self, folder: Path, config: Mapping[str, Any], *, resume: bool) -> None:
        """Make the folder, or read it.

        Raises:
            ValueError: A new run's folder is taken, or there is nothing to take up.
        """
        self.folder = folder
        self.state: State | None = None
        self.seconds_before = 0.0
        self._started = time.monotonic()
        if resume:
            self.state = _last_checkpoint(folder)
            if self.state is not None:
                self.seconds_before = float(self.state["seconds"])
            _drop_lines_after(self.metrics_path, -1 if self.state is None else int(self.state["step"]))
        elif (folder / "config.json").exists():
            raise ValueError(f"{folder} holds a run already: go on with --resume {folder}, or choose another --name")
        else:
            write_whole(folder / "config.json", json.dumps(dict(config), indent=2) + "\n")
        self._writer = SummaryWriter(str(folder / "tensorboard"))

    @property
    def metrics_path(self) -> Path:
        """Where figures are kept."""
        return self.folder / "metrics.jsonl"

    @property
    def policy_path(self) -> Path:
        """Where the network is kept."""
        return self.folder / POLICY

    @property
    def seconds(self) -> float:
        """Time the run has taken, earlier sessions included."""
        return self.seconds_before + time.monotonic() - self._started

    def log(self, step: int, figures: Mapping[str, float]) -> None:
        """Keep figures of ``step``."""
        line = {"step": step, "seconds": round(self.seconds, 2), **{k: float(v) for k, v in figures.items()}}
        with self.metrics_path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        for name, value in figures.items():
            self._writer.add_scalar(name, value, step)

    def save(self, step: int, state: State, network: PolicyNetwork) -> None:
        """Write a checkpoint, and the network for agents to load."""
        checkpoints = self.folder / "checkpoints"
        checkpoints.mkdir(exist_ok=True)
        path = checkpoints / f"{step:012}.pt"
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        torch.save({**state, "step": step, "seconds": self.seconds}, unfinished)
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.replace(path)
        for old in sorted(checkpoints.glob("*.pt"))[:-KEPT]:
            old.unlink()
        for left in checkpoints.glob("*.tmp"):
            left.unlink()
        config = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
        save_policy(network, self.policy_path, {**provenance(config), "steps": str(step)})

    def metrics(self) -> list[dict[str, float]]:
        """All figures so far, in order."""
        if not self.metrics_path.exists():
            return []
        return [json.loads(line) for line in self.metrics_path.read_text(encoding="utf-8").splitlines()]

    def close(self) -> None:
        """Finish what is being written."""
        self._writer.close()


def new_folder(method: str, name: str | None) -> Path:
    """``runs/NAME``, by default the method with the next free number."""
    if name is not None:
        if not name or Path(name).name != name:
            raise ValueError(f"a run's name is a plain word, not {name!r}; its folder is runs/NAME")
        return Path("runs") / name
    number = 1
    while (Path("runs") / f"{method}-{number}").exists():
        number += 1
    return Path("runs") / f"{method}-{number}"


def read_config(folder: Path, method: str) -> dict[str, Any]:
    """The settings of the run in ``folder``.

    Raises:
        ValueError: There is no run of that method there.
    """
    path = folder / "config.json"
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ValueError(f"{folder} holds no run to go on with: it has no readable config.json") from None
    if config.get("method") != method:
        raise ValueError(f"{folder} is a run of {config.get('method')!r}: c4 train {config.get('method')} --resume")
    return config


def write_whole(path: Path, text: str) -> None:
    """Write a text file, all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _last_checkpoint(folder: Path) -> State | None:
    """The newest checkpoint that can be read; None if the run was stopped before its first."""
    for path in sorted((folder / "checkpoints").glob("*.pt"), reverse=True):
        try:
            state: State = torch.load(path, weights_only=True)
        except Exception as error:
            print(f"{path} can't be read and is skipped: {type(error).__name__}", file=sys.stderr)
            continue
        return state
    return None


def _drop_lines_after(path: Path, step: int) -> None:
    """Forget figures that the run will measure again."""
    if path.exists():
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if _step_of(line) <= step]
        write_whole(path, "".join(f"{line}\n" for line in lines))


def _step_of(line: str) -> float:
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError):  # a line that was being written when the run was killed
        return float("inf")


def random_state(rng: np.random.Generator) -> str:
    """The state of a random generator as text, for a checkpoint."""
    return json.dumps(rng.bit_generator.state)


def set_random_state(rng: np.random.Generator, text: str) -> None:
    """Go on where :func:`random_state` was asked."""
    rng.bit_generator.state = json.loads(text)


class Interruption:
    """Whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.asked = False

    def __bool__(self) -> bool:
        return self.asked


@contextmanager
def interruption() -> Iterator[Interruption]:
    """Turn the first Ctrl-C into a wish to stop at the next good moment; the second stops at once."""
    wish = Interruption()

    def remember(_signal: int, _frame: object) -> None:
        wish.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print("stopping at the next good moment, Ctrl-C again to stop at once", file=sys.stderr)

    try:
        before = signal.signal(signal.SIGINT, remember)
    except ValueError:  # not the main thread, where there is no Ctrl-C to catch
        yield wish
        return
    try:
        yield wish
    finally:
        signal.signal(signal.SIGINT, before)
