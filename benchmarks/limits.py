"""How near each hot path is to what limits it: nanoseconds of an item, beside nanoseconds of what it can't do without.

    python benchmarks/limits.py               # paths with a network need pip install -e '.[train]'
    python benchmarks/limits.py --quick

Each limit is measured in the same rounds by something that does only that: the rules without arrays, a copy of the
bytes that are written, Gymnasium's wrappers around an environment that does nothing, a call into compiled code, random
games, a matrix product. CPU time on one core.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from certify_speed import Lowest
from env_speed import selfplay, single, vector
from measuring import console, installed, one_core, parser, rate, spreads, take_turns, write
from positions import random_positions

from c4agents.arena.certification import certify
from c4agents.search.agents import AlphaBetaAgent, MinimaxAgent
from c4agents.solver import Solver
from c4agents.uct import new_pool, playout, simulate
from c4env.bitboard import FIRST_FOUR, ONGOING, play, result
from c4env.compiled import compiled
from c4env.games import STATE_ROWS, step_single
from c4env.position import Position
from c4env.randomness import draw_column

GAMES = 4096
Work = Callable[[], int]


@compiled
def bare_plies(count: int, stream: int) -> int:
    """Random games by the rules alone: no arrays, no observations."""
    own, occupied = 0, 0
    for _ in range(count):
        column, stream = draw_column(occupied, stream)
        own, occupied = play(own, occupied, column)
        if result(own, occupied, FIRST_FOUR) != ONGOING:
            own, occupied = 0, 0
    return own ^ stream  # else the compiler would see that the board is of no use, and leave it out


@compiled
def bare_playouts(count: int, stream: int) -> int:
    points = 0
    for _ in range(count):
        outcome, stream = playout(0, 1 << 21, FIRST_FOUR, stream)
        points += outcome
    return points


class Nothing(gymnasium.Env[Any, Any]):
    """An environment that does nothing."""

    observation_space = gymnasium.spaces.Box(0, 1, (2, 6, 7), np.int8)
    action_space = gymnasium.spaces.Discrete(7)
    seen = np.zeros((2, 6, 7), np.int8)

    def reset(self, **_options: Any) -> Any:
        return self.seen, {}

    def step(self, _action: int) -> Any:
        return self.seen, 0.0, False, False, {}


def times(count: int, call: Callable[[], object]) -> Work:
    """Work that is ``count`` calls."""

    def work() -> int:
        for _ in range(count):
            call()
        return count

    return work


def copying(size: int) -> Work:
    """Write as many bytes for each of ``GAMES`` items, into new arrays."""
    source = np.ones(GAMES * size, np.int8)
    return lambda: len(source.copy()) // size


def halved(work: Work) -> Work:
    """Count steps of two plies instead of plies."""
    return lambda: work() // 2


def environments() -> dict[str, Work]:
    gymnasium.register("benchmark/Nothing-v0", Nothing)
    idle = gymnasium.make("benchmark/Nothing-v0", disable_env_checker=True)
    idle.reset()
    state, history = np.ones((STATE_ROWS, 1), np.int64), np.zeros((1, 42), np.uint8)
    kinds, planes, mask = np.zeros(1, np.int64), np.zeros((2, 6, 7), np.int8), np.zeros(7, np.int8)

    def counted(count: int) -> int:
        bare_plies(count, 1)
        return count

    return {
        "vector step": halved(vector(GAMES).chunk),
        "self-play step": selfplay(GAMES).chunk,
        "single step": halved(single().chunk),
        "rules of a ply": lambda: counted(10_000),
        "100 bytes written": copying(100),
        "Gymnasium around nothing": times(1000, lambda: idle.step(3)),
        "call into compiled code": times(1000, lambda: step_single(state, history, 3, kinds, 0, planes, mask)),
        "two new arrays": times(1000, lambda: (np.empty((2, 6, 7), np.int8), np.empty(7, np.int8))),
    }


def searches() -> dict[str, Work]:
    position = Position.from_moves("4")
    pruned, plain = AlphaBetaAgent(depth=9), MinimaxAgent(depth=6)
    solver = Solver(book=None)
    positions = random_positions(3, 1, 10, 10)

    def playouts() -> int:
        done, _ = simulate(position.own, position.occupied, FIRST_FOUR, 5000, 1.0, 1, new_pool(5001))
        return done

    def solving() -> int:
        before = solver.nodes
        for one in positions:
            solver.clear()
            solver.score(one)
        return solver.nodes - before

    def bare() -> int:
        bare_playouts(1000, 1)
        return 1000

    keys = np.random.default_rng(0).integers(1 << 49, size=1 << 18)
    return {
        "alpha-beta node": lambda: pruned.search(position).nodes,
        "minimax node": lambda: plain.search(position).nodes,
        "MCTS playout": playouts,
        "random game from there": bare,
        "solver node": solving,
        "certify position": lambda: certify(Lowest(), plies=24)[0].positions,
        "sorting a key": lambda: len(np.argsort(keys)),
    }


def networks() -> dict[str, Work]:
    import torch
    from inference_speed import operations

    from c4agents.policy.evaluator import Evaluator
    from c4agents.policy.network import PolicyNetwork
    from c4agents.policy.planes import to_planes
    from c4agents.policy.puct import absorb, collect, new_forest
    from c4env.position import PositionBatch
    from c4train.ppo import Ppo, PpoConfig

    torch.set_num_threads(1)
    batch = PositionBatch.of(random_positions(1024, 0))
    evaluator = Evaluator(PolicyNetwork().eval())
    rng = np.random.default_rng(0)
    priors = rng.dirichlet(np.ones(7), 2048).astype(np.float32)
    values = rng.uniform(-0.1, 0.1, 2048).astype(np.float32)

    def tree() -> int:
        """Search without a network: its answers are made up beforehand."""
        forest = new_forest(batch.own[:256], batch.occupied[:256], 100, 8)
        own, occupied, done = np.zeros(2048, np.int64), np.zeros(2048, np.int64), 0
        while count := collect(forest, FIRST_FOUR, 1.5, own, occupied):
            absorb(forest, own, occupied, priors, values)
            done += count
        return done

    trainer = Ppo(PpoConfig())
    games = trainer._play()
    samples = len(games["own"]) * trainer.config.epochs

    def learning() -> int:
        trainer._learn(games, trainer.config.entropy)
        return samples

    planes = torch.from_numpy(to_planes(batch.own, batch.occupied)).float()
    matrix = torch.rand(1024, 1024)

    def as_product(network: torch.nn.Module, passes: int) -> Work:
        """As many multiplications and additions as that many passes through the network, in a large matrix product."""
        items = 2 * 1024**3 // (passes * operations(network, planes[:16]))

        def work() -> int:
            torch.mm(matrix, matrix)
            return items

        return work

    return {
        "planes": lambda: len(to_planes(batch.own, batch.occupied)),
        "504 bytes written": copying(504),
        "network answer": lambda: len(evaluator(batch.own, batch.occupied).logits),
        "its operations as a matrix product": as_product(evaluator.network, 1),
        "PUCT leaf, without the network": tree,
        "PPO sample": learning,
        "its operations as a matrix product, three passes": as_product(trainer.network, 3),
    }


def main() -> None:
    arguments = parser(__doc__).parse_args()
    rounds, seconds = (2, 0.05) if arguments.quick else (7, 0.4)
    works = environments() | searches() | (networks() if installed("torch")["torch"] else {})
    one_core()
    for work in works.values():
        work()
    turns = {name: lambda work=work: 1e9 / rate(work, seconds) for name, work in works.items()}
    figures = spreads(take_turns(rounds, turns))
    for name, figure in figures.items():
        console.print(f"{name:38} {figure['median']:12,.1f} ns   ({figure['low']:,.1f} to {figure['high']:,.1f})")
    write(arguments.json, {"nanoseconds": figures}, ("torch",))


if __name__ == "__main__":
    main()
