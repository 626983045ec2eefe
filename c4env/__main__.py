"""``python -m c4env``: a seeded demonstration game between the built-in opponents."""

from __future__ import annotations

import argparse

import numpy as np

from c4env import render
from c4env.env import ConnectFourEnv


def main() -> None:
    """Play one game: the learner's part is taken by random legal moves, `rules` answers."""
    parser = argparse.ArgumentParser(prog="python -m c4env", description=__doc__)
    parser.add_argument("--seed", type=int, default=4, help="which game (default 4)")
    seed = parser.parse_args().seed
    env = ConnectFourEnv(opponent="rules", agent_plays="first")
    _, info = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    ended = False
    while not ended:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        _, _, ended, _, info = env.step(action)
    print(f"random (O) against rules (X), seed {seed}: {info['moves']}\n")
    print(render.ansi(env.position, int(info["moves"][-1]) - 1))
    winner = {0: "random wins", 1: "rules wins", -1: "a draw"}[info["winner"]]
    print(f"\n{winner} after {len(info['moves'])} moves")


if __name__ == "__main__":
    main()
