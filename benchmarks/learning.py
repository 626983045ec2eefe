"""Who learns faster: our PPO, or sb3-contrib's MaskablePPO on our environment and on PettingZoo's?

    python benchmarks/learning.py                     # needs pip install -e '.[arena,pettingzoo,sb3,train]'
    python benchmarks/learning.py --minutes 1 --points 6 --games 100

Every learner gets the same minutes of CPU time on one thread, in slices that take turns, so that whatever else the
machine does is no one's loss. Between slices its favourite moves are measured against bots, each opening from both
seats, a draw counting half; that time is not counted.

- ``c4 train ppo``: the settings of ``c4 train``.
- MaskablePPO on c4env: 64 games of the vector environment, against bots drawn from those of PPO's ladder.
- MaskablePPO on PettingZoo: connect_four_v3 as PettingZoo's own tutorial wraps it, every ply of self-play a step, the
  reward that of the side that moved.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Protocol

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
from measuring import console, installed, parser, write
from rich.progress import Progress
from rich.table import Table

from c4agents.policy.planes import to_legal, to_planes
from c4env.position import PositionBatch
from c4train.bots import Player, Record, play_bot
from c4train.ppo import LADDER, Ppo, PpoConfig
from c4train.session import BOTS, agent_of

if TYPE_CHECKING:
    from stable_baselines3.common.vec_env import VecEnv

SETTINGS = {"learning_rate": 1e-3, "batch_size": 512, "n_epochs": 4, "gamma": 0.99, "ent_coef": 0.01}
"""MaskablePPO's, where its defaults are meant for one game at a time; its step size falls to a tenth, as ours does."""
LAYERS = [256, 256]


class Learner(Protocol):
    """What takes part."""

    steps: int
    """Moves played, bots' and both sides' included as far as the learner's own count does."""

    def advance(self, done: float) -> None:
        """Train a little; ``done`` is the share of the time that is over."""

    def player(self) -> Player:
        """Its favourite moves."""


class Ours:
    def __init__(self, seed: int) -> None:
        self.trainer = Ppo(PpoConfig(seed=seed))
        self.steps = 0

    def advance(self, done: float) -> None:
        self.trainer.advance(done)
        self.steps = self.trainer.step

    def player(self) -> Player:
        return agent_of(self.trainer.network)


class Maskable:
    """MaskablePPO on a vector environment whose observations are two planes, first or last axis as given."""

    def __init__(self, env: VecEnv, rollout: int, planes_last: bool, seed: int) -> None:
        from sb3_contrib import MaskablePPO

        self.model = MaskablePPO(
            "MlpPolicy", env, n_steps=rollout // env.num_envs, policy_kwargs={"net_arch": LAYERS}, seed=seed, **SETTINGS
        )
        self.rollout, self.planes_last = rollout, planes_last
        self.steps = 0

    def advance(self, done: float) -> None:
        rate = SETTINGS["learning_rate"] * (1 - 0.9 * done)
        self.model.lr_schedule = lambda _: rate
        self.model.learn(self.rollout, reset_num_timesteps=False)
        self.steps = self.model.num_timesteps

    def player(self) -> Player:
        return self

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        planes = to_planes(positions.own, positions.occupied)[:, :2]
        seen = planes.transpose(0, 2, 3, 1) if self.planes_last else planes
        columns, _ = self.model.predict(seen, action_masks=to_legal(positions.occupied), deterministic=True)
        return np.asarray(columns, np.int64)


class EveryPly(gymnasium.Env[npt.NDArray[np.int8], int]):
    """connect_four_v3 as one environment in which the learner makes every move, as PettingZoo's tutorial has it."""

    def __init__(self) -> None:
        from pettingzoo.classic import connect_four_v3

        self.game = connect_four_v3.raw_env()
        agent = self.game.possible_agents[0]
        self.observation_space = self.game.observation_space(agent)["observation"]
        self.action_space = self.game.action_space(agent)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.game.reset(seed)
        return self._seen(), {}

    def step(self, action: int) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        mover = self.game.agent_selection
        self.game.step(int(action))
        ended = any(self.game.terminations.values())
        return self._seen(), float(self.game.rewards[mover]), ended, False, {}

    def _seen(self) -> npt.NDArray[np.int8]:
        seen: npt.NDArray[np.int8] = self.game.observe(self.game.agent_selection)["observation"]
        return seen

    def masks(self) -> npt.NDArray[np.bool_]:
        mask: npt.NDArray[np.bool_] = self.game.observe(self.game.agent_selection)["action_mask"].astype(np.bool_)
        return mask


def pettingzoo_games(count: int) -> VecEnv:
    from sb3_contrib.common.wrappers import ActionMasker
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    return DummyVecEnv([lambda: Monitor(ActionMasker(EveryPly(), lambda env: env.masks())) for _ in range(count)])


def contestants(seed: int, found: dict[str, bool]) -> dict[str, Learner]:
    made: dict[str, Learner] = {"c4 train ppo": Ours(seed)}
    if found["sb3_contrib"]:
        from c4env.sb3 import SB3VecEnv

        made["MaskablePPO, c4env"] = Maskable(SB3VecEnv(64, opponent=list(LADDER[:4])), 64 * 64, False, seed)
        if found["pettingzoo"]:
            made["MaskablePPO, PettingZoo"] = Maskable(pettingzoo_games(16), 16 * 128, True, seed)
    return made


def measure(learner: Learner, used: float, games: int) -> dict[str, Any]:
    records = {bot: play_bot(learner.player(), bot, games) for bot in BOTS}
    return {
        "cpu_seconds": used,
        "steps": learner.steps,
        "points": {bot: record.points for bot, record in records.items()},
        "first": {bot: record.first for bot, record in records.items()},
        "second": {bot: record.second for bot, record in records.items()},
    }


def compare(seconds: float, points: int, games: int, seed: int) -> dict[str, list[dict[str, Any]]]:
    """Train all by turns; returns of each what it measured at the start and after each of ``points`` slices."""
    found = installed("sb3_contrib", "pettingzoo")
    learners = contestants(seed, found)
    for learner in contestants(seed, found).values():  # compile, and load what is loaded on first use
        learner.advance(0.0)
    curves = {name: [measure(learner, 0.0, games)] for name, learner in learners.items()}
    used = dict.fromkeys(learners, 0.0)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("learning", total=points * len(learners))
        for point in range(1, points + 1):
            for name, learner in learners.items():
                while used[name] < seconds * point / points:
                    started = time.process_time()
                    learner.advance(used[name] / seconds)
                    used[name] += time.process_time() - started
                curves[name].append(measure(learner, used[name], games))
                shown = "  ".join(f"{bot} {share:.0%}" for bot, share in curves[name][-1]["points"].items())
                line = f"{used[name] / 60:4.1f} min {learner.steps:>10,} steps  {name:24} {shown}"
                progress.console.print(line, soft_wrap=True)
                progress.advance(task)
    return curves


def results_table(curves: dict[str, list[dict[str, Any]]]) -> Table:
    table = Table("learner", "steps", *(f"points against {bot}" for bot in BOTS))
    for name, curve in curves.items():
        last = curve[-1]
        shares = [Record(last["first"][bot], last["second"][bot]).share for bot in BOTS]
        table.add_row(name, f"{last['steps']:,}", *map(str, shares))
    return table


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--minutes", type=float, help="CPU minutes of each learner (default 4)")
    asked.add_argument("--points", type=int, help="measurements on each curve (default 12)")
    asked.add_argument("--games", type=int, help="games against each bot in a measurement (default 200)")
    asked.add_argument("--seed", type=int, default=0)
    arguments = asked.parse_args()
    defaults = (0.05, 1, 20) if arguments.quick else (4.0, 12, 200)
    given = (arguments.minutes, arguments.points, arguments.games)
    minutes, points, games = (default if one is None else one for one, default in zip(given, defaults, strict=True))
    if not (math.isfinite(minutes) and minutes > 0 and points > 0):
        asked.error("--minutes and --points must be above 0")
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)
    curves = compare(60 * minutes, points, games, arguments.seed)
    console.print(results_table(curves))
    results = {"maskable_ppo": {**SETTINGS, "net_arch": LAYERS}, "games": games, "curves": curves}
    write(arguments.json, results, ("torch", "sb3-contrib", "stable-baselines3", "pettingzoo"))


if __name__ == "__main__":
    main()
