"""How fast are the environments, beside those a user would pick instead?

    python benchmarks/env_speed.py                 # all that is installed; peers: pip install -e '.[bench,pettingzoo]'
    python benchmarks/env_speed.py --quick

Every contestant plays random legal moves chosen by the caller on the host: numpy observations and masks out,
numpy actions in, games begin again when they end. A ply is one stone; where the opponent answers inside the step a
step is two plies. The process is pinned to one core, and time is its CPU time, so that other load on the machine
counts little; rounds are interleaved and the median is reported with the range. `threads=2` rows use two cores and
wall time.
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import gymnasium as gym
import numba
import numpy as np
from measuring import console, installed, parser, rate, show, spreads, take_turns, write

import c4env
from c4env.selfplay import SelfPlay

BATCH = 4096
CORES = sorted(os.sched_getaffinity(0))


@numba.njit(cache=True)
def sample(masks: np.ndarray, state: np.ndarray, actions: np.ndarray) -> None:
    """A random legal column for each row of ``masks``, the same cheap policy for every batched contestant."""
    x = state[0]
    for game in range(masks.shape[0]):
        legal = 0
        for column in range(7):
            legal += masks[game, column] != 0
        x = (x * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
        skip = ((x >> 32) * max(legal, 1)) >> 31
        for column in range(7):
            if masks[game, column] != 0:
                if skip == 0:
                    actions[game] = column
                    break
                skip -= 1
    state[0] = x


@dataclass
class Contestant:
    """One way to play: ``chunk()`` plays some and returns the number of plies."""

    name: str
    chunk: Callable[[], int]
    cores: int = 1

    def plies_per_second(self, seconds: float) -> float:
        os.sched_setaffinity(0, CORES[: self.cores])
        return rate(self.chunk, seconds, time.process_time if self.cores == 1 else time.perf_counter)


def cores(threads: int) -> str:
    return f", {threads} threads" if threads > 1 else ""


def vector(batch: int, threads: int = 1, mode: str = "next_step") -> Contestant:
    env = gym.make_vec(
        c4env.ENV_ID, batch, "vector_entry_point", opponent="random", threads=threads, autoreset_mode=mode
    )
    _, infos = env.reset(seed=0)
    masks, state, actions = infos["action_mask"], np.array([1]), np.zeros(batch, np.int64)
    repeats = max(1, 4096 // batch)

    def chunk() -> int:
        nonlocal masks
        for _ in range(repeats):
            sample(masks, state, actions)
            masks = env.step(actions)[4]["action_mask"]
        return 2 * batch * repeats

    return Contestant(f"c4env vector env, {batch} games{cores(threads)}", chunk, threads)


def selfplay(batch: int, threads: int = 1) -> Contestant:
    games = SelfPlay(batch, threads=threads)
    masks, state, actions = games.reset().action_mask, np.array([1]), np.zeros(batch, np.int64)
    repeats = max(1, 4096 // batch)

    def chunk() -> int:
        nonlocal masks
        for _ in range(repeats):
            sample(masks, state, actions)
            masks = games.step(actions).action_mask
        return batch * repeats

    return Contestant(f"c4env self-play batch, {batch} games{cores(threads)}", chunk, threads)


def single() -> Contestant:
    env = gym.make(c4env.ENV_ID, opponent="random")
    _, info = env.reset(seed=0)
    mask, state, actions = info["action_mask"][None], np.array([1]), np.zeros(1, np.int64)

    def chunk() -> int:
        nonlocal mask
        for _ in range(500):
            sample(mask, state, actions)
            _, _, ended, _, info = env.step(int(actions[0]))
            if ended:
                _, info = env.reset()
            mask = info["action_mask"][None]
        return 1000

    return Contestant("c4env single env, gymnasium.make", chunk)


def pgx(batch: int) -> Contestant:
    import jax
    import pgx as library
    from pgx.experimental import auto_reset

    game = library.make("connect_four")
    step = jax.jit(jax.vmap(auto_reset(game.step, game.init)))
    keys = jax.random.split(jax.random.PRNGKey(0), batch)
    position = jax.jit(jax.vmap(game.init))(keys)
    masks, state, actions = np.asarray(position.legal_action_mask), np.array([1]), np.zeros(batch, np.int32)
    repeats = max(1, 4096 // batch)
    # auto_reset takes a key where the version asks for one
    keyed = len(inspect.signature(auto_reset(game.step, game.init)).parameters) > 2

    def chunk() -> int:
        nonlocal position, masks
        for _ in range(repeats):
            sample(masks, state, actions)
            position = step(position, actions.copy(), keys) if keyed else step(position, actions.copy())
            masks = np.asarray(position.legal_action_mask)
            np.asarray(position.observation), np.asarray(position.rewards), np.asarray(position.terminated)
        return batch * repeats

    chunk()
    return Contestant(f"pgx {version('pgx')}, {batch} games, policy on the host", chunk)


def pettingzoo() -> Contestant:
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    state, actions = np.array([1]), np.zeros(1, np.int64)

    def chunk() -> int:
        plies = 0
        while plies < 200:
            env.reset()
            while True:
                observation, _, ended, _, _ = env.last()
                if ended:
                    break
                sample(observation["action_mask"][None], state, actions)
                env.step(int(actions[0]))
                plies += 1
        return plies

    return Contestant(f"PettingZoo {version('pettingzoo')} connect_four_v3", chunk)


def open_spiel() -> Contestant:
    from open_spiel.python import rl_environment

    env = rl_environment.Environment("connect_four")
    rng = np.random.default_rng(0)

    def chunk() -> int:
        step = env.reset()
        for draw in rng.random(1000).tolist():
            legal = step.observations["legal_actions"][step.observations["current_player"]]
            step = env.step([legal[int(draw * len(legal))]])
            if step.last():
                step = env.reset()
        return 1000

    return Contestant(f"OpenSpiel {version('open_spiel')} rl_environment", chunk)


def gymnasium_connect_four() -> Contestant:
    from connect_four_gymnasium import ConnectFourEnv

    env = ConnectFourEnv()
    rng = np.random.default_rng(0)

    def chunk() -> int:
        env.reset()
        plies = 0
        for draw in rng.random(500).tolist():
            legal = env.get_valid_actions()
            _, _, ended, cut, _ = env.step(int(legal[int(draw * len(legal))]))
            plies += 1
            if ended or cut:
                env.reset()
        return plies

    return Contestant(f"gymnasium-connect-four {version('gymnasium-connect-four')}", chunk)


def contestants(quick: bool) -> list[Contestant]:
    """All that can be made here."""
    made = [vector(BATCH), selfplay(BATCH), single()]
    if not quick:
        made += [vector(256), vector(16384), vector(BATCH, threads=2), selfplay(BATCH, threads=2)]
    peers: dict[str, Callable[[], Contestant]] = {
        "pgx": lambda: pgx(BATCH),
        "pettingzoo": pettingzoo,
        "pyspiel": open_spiel,
        "connect_four_gymnasium": gymnasium_connect_four,
    }
    found = installed(*peers)
    return made + [make() for module, make in peers.items() if found[module]]


def ratios(medians: dict[str, float]) -> dict[str, float]:
    """The ratios that matter, by the medians of this run."""
    pairs = {
        "vector env / pgx": (f"c4env vector env, {BATCH} games", "pgx"),
        "self-play batch / pgx": (f"c4env self-play batch, {BATCH} games", "pgx"),
        "single env / PettingZoo": ("c4env single env", "PettingZoo"),
        "single env / OpenSpiel rl_environment": ("c4env single env", "OpenSpiel"),
        "single env / gymnasium-connect-four": ("c4env single env", "gymnasium-connect-four"),
    }

    def of(start: str) -> float | None:
        return next((median for name, median in medians.items() if name.startswith(start)), None)

    return {name: of(ours) / of(theirs) for name, (ours, theirs) in pairs.items() if of(ours) and of(theirs)}


def main() -> None:
    arguments = parser(__doc__).parse_args()
    rounds, seconds = (3, 0.2) if arguments.quick else (9, 0.7)
    made = contestants(arguments.quick)
    for one in made:
        one.chunk()  # compile
    turns = {one.name: lambda one=one: one.plies_per_second(seconds) for one in made}
    figures = spreads(take_turns(rounds, turns))
    found = ratios({name: figure["median"] for name, figure in figures.items()})
    show("plies/s", figures)
    for name, ratio in found.items():
        console.print(f"{name}: [bold]{ratio:.1f}x[/bold]")
    peers = ("pgx", "jax", "pettingzoo", "open_spiel", "gymnasium-connect-four")
    write(arguments.json, {"plies_per_second": figures, "ratios": found}, peers)


if __name__ == "__main__":
    main()
