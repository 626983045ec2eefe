"""The loop around every method: train, measure, checkpoint, report, until time or steps are up."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from rich.console import Console

from c4agents.jobs import Crew
from c4train.run import Run, interruption
from c4train.session import CommonConfig, Trainer, command, measure, progress_bar, results_table, settle, write_report

MEASUREMENTS = 20
"""Measurements in a run that is limited by steps."""
EXIT_INTERRUPTED = 130


def train(method: str, config: CommonConfig, make: Callable[[Any, Crew], Trainer]) -> int:
    """Run a method from start, or from where it stopped, to its end.

    Args:
        method: Its name.
        config: The settings as given.
        make: Makes the trainer from the settings that hold and who does its work.

    Returns:
        The exit code: 0, or 130 if it was interrupted.
    """
    folder, stored, settings = settle(method, config)
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    with settings.crew() as crew:
        trainer = make(settings, crew)
        run = Run(folder, stored, resume=config.resume is not None)
        interrupted = _train(method, settings, trainer, run, crew)
        if not crew.local:
            for line in crew.describe("positions"):
                print(f"c4: {line}", file=sys.stderr)
    records = measure(trainer.network, settings.eval_games)
    write_report(run, records)
    console = Console()
    if interrupted:
        console.print(f"stopped; go on with: {command()} train {method} --resume {run.folder}", soft_wrap=True)
        return EXIT_INTERRUPTED
    console.print(results_table(records))
    console.print(f"saved {run.policy_path}")
    console.print(f"play against it: {command()} play policy:{run.policy_path}", soft_wrap=True)
    return 0


def _train(method: str, settings: CommonConfig, trainer: Trainer, run: Run, crew: Crew) -> bool:
    """Train until time or steps are up, or Ctrl-C; returns whether it was that."""
    console = Console(stderr=True)
    if run.state is not None:
        trainer.load_state(run.state)
    console.print(f"{run.folder}: curves with [bold]tensorboard --logdir {run.folder.parent}[/bold]")
    with interruption() as interrupted, progress_bar(console, method) as (progress, task):
        done = _share(settings, run, trainer)
        due = _next_due(settings, run, trainer)
        while done < 1 and not interrupted:
            started, before = time.monotonic(), trainer.step
            figures = trainer.advance(done)
            rate = (trainer.step - before) / (time.monotonic() - started)
            done = _share(settings, run, trainer)
            shown = "  ".join(f"{name} {value:.2f}" for name, value in figures.items() if name in trainer.shown)
            progress.update(task, completed=min(done, 1), figures=f"{rate:,.0f} steps/s  {shown}  {crew.brief()}")
            if done >= 1 or interrupted or _position(settings, run, trainer) >= due:
                records = measure(trainer.network, settings.eval_games)
                figures |= {f"points/{bot}": record.points for bot, record in records.items()}
                run.log(trainer.step, {**figures, "steps_per_second": rate})
                run.save(trainer.step, trainer.state(), trainer.network)
                points = "  ".join(f"{bot.rpartition(':')[2]} {record.points:.0%}" for bot, record in records.items())
                line = f"{run.seconds / 60:5.1f} min {trainer.step:>11,} steps  {points}  {crew.brief()}"
                progress.console.print(line.rstrip(), soft_wrap=True)
                due = _next_due(settings, run, trainer)
    run.close()
    return bool(interrupted)


def _share(config: CommonConfig, run: Run, trainer: Trainer) -> float:
    """How much of the run is over, 0 to 1 and beyond."""
    if config.total_steps is not None:
        return trainer.step / config.total_steps
    assert config.minutes is not None
    return run.seconds / (60 * config.minutes)


def _position(config: CommonConfig, run: Run, trainer: Trainer) -> float:
    """Where the run is, in what measurements are counted in."""
    return trainer.step if config.total_steps is not None else run.seconds


def _next_due(config: CommonConfig, run: Run, trainer: Trainer) -> float:
    """Where the next measurement is due. Multiples of a fixed distance, so that resumed runs measure at the same."""
    every = config.total_steps / MEASUREMENTS if config.total_steps is not None else config.eval_every
    return (_position(config, run, trainer) // every + 1) * every
