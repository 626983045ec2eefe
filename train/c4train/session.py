"""What all training methods share: settings, the loop's clock, progress on the terminal, and the closing report."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from c4agents.jobs import Crew
from c4agents.policy.agent import PolicyAgent
from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4agents.policy.weights import load_policy, shipped_path
from c4train.bots import Record, play_bot
from c4train.run import Run, new_folder, read_config, write_whole

BOTS: Final = ("random", "rules", "alphabeta:depth=2", "alphabeta:depth=4")
"""Whom every run is measured against."""
HEADINGS: Final = ("opponent", "points [95 % interval]", "moving first: won / drawn / lost", "moving second")
_NOT_KEPT: Final = {"resume", "workers", "ray"}
"""Settings of a command, not of a run."""
CONDITIONS: Final = "Without search; each opening from both seats; a draw counts half."


@dataclass(frozen=True)
class CommonConfig:
    """Settings that every method has."""

    name: str | None = None
    """Name of the run; its folder is runs/NAME. By default the method and a number."""
    seed: int = 0
    """Decides all randomness."""
    minutes: float | None = None
    """Stop after this time; schedules follow the clock."""
    total_steps: int | None = None
    """Stop after this many steps; with the same seed a run then always ends with the same weights."""
    eval_every: float = 30.0
    """Seconds between two measurements against the bots and checkpoints; with --total-steps, 20 in all."""
    eval_games: int = 100
    """Games against each bot in a measurement, half from each seat."""
    resume: Path | None = None
    """Folder of a run to go on with; its own settings hold."""
    start: str | None = None
    """Weights to begin with instead of random ones: policy, policy-selfplay or a file; their sizes hold."""
    smoke: bool = False
    """Do everything in a few seconds, to see that it works."""
    channels: int = 32
    """Network: detectors that look at each band of five columns."""
    features: int = 16
    """Network: what the second layer makes of them, for each band."""
    width: int = 96
    """Network: size of each half of a hidden layer."""
    blocks: int = 1
    """Network: hidden layers after the first."""
    threads: int = 1
    """Threads for the network; resuming is exact with one."""
    bfloat16: bool = False
    """Multiply with fewer digits while training: twice as fast on processors that can (AVX-512 BF16), slower on others.
    The trained policy computes with all digits."""

    def check(self) -> None:
        """Raise ValueError if a setting can't be right."""
        self.network()
        if self.minutes is not None and self.total_steps is not None:
            raise ValueError("give --minutes or --total-steps, not both")
        for option in ("minutes", "total_steps", "eval_every", "threads"):
            amount = getattr(self, option)
            if amount is not None and amount <= 0:
                raise ValueError(f"--{option.replace('_', '-')} must be above 0, not {amount}")
        if self.eval_games < 2 or self.eval_games % 2:
            raise ValueError(f"--eval-games is an even number, half for each seat, not {self.eval_games}")

    def network(self) -> NetworkConfig:
        """The sizes of the network."""
        return NetworkConfig(self.channels, self.features, self.width, self.blocks)

    def new_network(self) -> PolicyNetwork:
        """The network as training begins; once a run has a checkpoint, its weights come from there."""
        if self.start is None or (self.resume is not None and any(self.resume.glob("checkpoints/*.pt"))):
            return PolicyNetwork(self.network())
        return _start(self.start).train()

    def arithmetic(self) -> torch.autocast:
        """The context in which the network computes while it is trained."""
        return torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16)

    def crew(self) -> Crew:
        """Who does the work that can be shared out; not more than this process."""
        return Crew()


@dataclass(frozen=True)
class SharedOutConfig(CommonConfig):
    """Settings of methods that share work out."""

    workers: int | None = None
    """Processes that share the work, 0 for one per core; with --ray batches at once. The results are the same."""
    ray: str | None = None
    """Share the work on a Ray cluster: auto for the one this machine is part of, its address, or local to start one."""

    def crew(self) -> Crew:
        """Who does the work that can be shared out."""
        return Crew(self.workers, ray=self.ray)


class Trainer(Protocol):
    """A method of training, as the loop sees it."""

    network: PolicyNetwork
    step: int
    """Plies played, or samples learned from: what --total-steps counts."""
    shown: tuple[str, ...]
    """Figures for the progress bar."""

    def advance(self, done: float) -> dict[str, float]:
        """Train a little; ``done`` is the share of the run that is over. Returns figures to log."""

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""


def settle(method: str, config: CommonConfig) -> tuple[Path, dict[str, Any], Any]:
    """The run that ``config`` asks for: its folder, what its config.json says, and the settings that hold.

    A resumed run's settings are its own, but for a new --minutes or --total-steps. Who does the work is not kept.
    """
    config.check()
    if config.resume is None:
        if config.start is not None:
            config = dataclasses.replace(config, **dataclasses.asdict(_start(config.start).config))
        settings = {name: value for name, value in dataclasses.asdict(config).items() if name not in _NOT_KEPT}
        return new_folder(method, config.name), {"method": method, **settings}, config
    stored = read_config(config.resume, method)
    fields = {field.name for field in dataclasses.fields(config)} - _NOT_KEPT
    kept = {key: value for key, value in stored.items() if key in fields}
    if config.minutes is not None or config.total_steps is not None:
        kept |= {"minutes": config.minutes, "total_steps": config.total_steps}
    return config.resume, stored, dataclasses.replace(config, **kept)


def _start(name: str) -> PolicyNetwork:
    """The network of a shipped policy, or of a file."""
    shipped = shipped_path(name)
    return load_policy(shipped if shipped.is_file() else Path(name)).network


def agent_of(network: PolicyNetwork, name: str = "policy") -> PolicyAgent:
    """The network as an agent that plays its favourite column."""
    return PolicyAgent(Evaluator(network), name=name)


def measure(network: PolicyNetwork, games: int, bots: Sequence[str] = BOTS) -> dict[str, Record]:
    """The network's records against the bots, in evaluation mode."""
    network.eval()
    records = {bot: play_bot(agent_of(network), bot, games) for bot in bots}
    network.train()
    return records


def command() -> str:
    """How this shell calls ``c4``: by name, or by where it was installed beside Python."""
    beside = Path(sys.executable).with_name("c4")
    if shutil.which("c4") or not beside.exists():
        return "c4"
    return str(beside.relative_to(Path.cwd()) if beside.is_relative_to(Path.cwd()) else beside)


@contextmanager
def progress_bar(console: Console, label: str) -> Iterator[tuple[Progress, Any]]:
    """A bar from 0 to 1 with a line of figures."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[figures]}"),
    )
    with Progress(*columns, console=console, transient=False) as progress:
        yield progress, progress.add_task(label, total=1.0, figures="")


def results_table(records: dict[str, Record]) -> Table:
    """Wins, draws and losses against each bot, by seat."""
    table = Table(*HEADINGS, caption=CONDITIONS)
    for row in _rows(records):
        table.add_row(*row)
    return table


def write_report(run: Run, records: dict[str, Record]) -> None:
    """Write ``report.md`` and the learning curve."""
    config = json.loads((run.folder / "config.json").read_text(encoding="utf-8"))
    metrics = run.metrics()
    steps = metrics[-1]["step"] if metrics else 0
    lines = [
        f"# {run.folder.name}",
        "",
        f"Method `{config['method']}`, {steps:,} steps in {run.seconds / 60:.1f} minutes. Settings: `config.json`.",
        "",
        f"| {' | '.join(HEADINGS)} |",
        "|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in _rows(records)),
        "",
        CONDITIONS,
        "",
        "![learning curve](learning.svg)",
        "",
    ]
    write_whole(run.folder / "report.md", "\n".join(lines))
    plot_curve(metrics, run.folder / "learning.svg")


def plot_curve(metrics: Sequence[dict[str, float]], path: Path) -> None:
    """Points against each bot over time, as a picture."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    names = sorted({name for line in metrics for name in line if name.startswith("points/")})
    for name in names:
        lines = [line for line in metrics if name in line]
        minutes, points = [line["seconds"] / 60 for line in lines], [100 * line[name] for line in lines]
        axes.plot(minutes, points, marker=".", label=name.removeprefix("points/"))
    axes.set(xlabel="minutes", ylabel="points, %", ylim=(0, 102))
    axes.grid(alpha=0.3)
    if names:
        axes.legend()
    FigureCanvasSVG(figure).print_svg(str(path))  # type: ignore[no-untyped-call]


def _rows(records: dict[str, Record]) -> list[tuple[str, str, str, str]]:
    shares = {bot: record.share for bot, record in records.items()}
    return [
        (
            bot,
            f"{one.share:.0%} [{one.low:.0%}, {one.high:.0%}]",
            _tally(records[bot].first),
            _tally(records[bot].second),
        )
        for bot, one in shares.items()
    ]


def _tally(results: tuple[int, int, int]) -> str:
    return " / ".join(map(str, results))
