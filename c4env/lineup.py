"""The opponents of an environment: which are drawn from, and how those outside compiled code are asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from c4env import games, opponents
from c4env.arguments import describe_illegal
from c4env.bitboard import RULES, Rules
from c4env.games import OCCUPIED, OPPONENT, OWN, STREAM, WAITING
from c4env.opponents import EXTERNAL, NativeOpponent, Opponent, OpponentLike, Seedable, make_opponent
from c4env.position import Position
from c4env.randomness import draw


class Lineup:
    """The opponents an episode's is drawn from.

    Attributes:
        kinds: Kind of each, int64 [K]; see :mod:`c4env.opponents`.
        external: Those outside compiled code, by their index.
    """

    def __init__(self, choice: OpponentLike | Sequence[OpponentLike]) -> None:
        self.kinds = np.zeros(0, np.int64)
        self.external: dict[int, Opponent] = {}
        self._self_seeded: dict[int, Seedable] = {}
        self._extensions: list[tuple[object, int, int]] = []
        self.extend(choice)

    def extend(self, choice: OpponentLike | Sequence[OpponentLike]) -> tuple[int, int]:
        """Add opponents, unless the same were added before; return their first index and their number."""
        for known, first, count in self._extensions:
            if known is choice or (isinstance(choice, str) and known == choice):
                return first, count
        listed = list(choice) if isinstance(choice, Sequence) and not isinstance(choice, str) else [choice]
        if not listed:
            raise ValueError("the list of opponents is empty")
        made = [make_opponent(one) for one in listed]
        first = len(self.kinds)
        for k, one in enumerate(made, start=first):
            if not isinstance(one, int):
                self.external[k] = one
                if isinstance(one, Seedable) and not isinstance(one, NativeOpponent):
                    self._self_seeded[k] = one
        added = [one if isinstance(one, int) else EXTERNAL for one in made]
        self.kinds = np.concatenate([self.kinds, np.array(added, np.int64)])
        self._extensions.append((choice, first, len(made)))
        return first, len(made)

    def seed_game(self, state: games.State, game: int) -> None:
        """Give the game's opponent, if it has randomness of its own, a seed from the game's stream."""
        if not self._self_seeded:
            return
        opponent = self._self_seeded.get(int(state[OPPONENT, game]))
        if opponent is not None:
            seed, state[STREAM, game] = draw(int(state[STREAM, game]), 2**31)
            opponent.seed(int(seed))

    def seed_all(self, rng: np.random.Generator) -> None:
        """Give every opponent with randomness of its own a seed."""
        for opponent in self._self_seeded.values():
            opponent.seed(int(rng.integers(2**31)))

    def answer(self, state: games.State, history: games.History, codes: games.Codes, rules: Rules) -> None:
        """Ask the opponents of all ``WAITING`` games and play what they say.

        Raises:
            ValueError: An opponent played an illegal column; it is named, with the position.
        """
        if not self.external:
            return
        waiting = codes == WAITING
        if not waiting.any():
            return
        columns = np.zeros(len(codes), np.int8)
        for k, opponent in self.external.items():
            asked = waiting & (state[OPPONENT] == k)
            if asked.any():
                opponents.ask(opponent, state[OWN], state[OCCUPIED], asked, state[STREAM], columns, rules)
        wrong = games.answer_games(state, history, columns, RULES[rules], codes, 0, len(codes))
        if wrong >= 0:
            name = getattr(self.external[int(state[OPPONENT, wrong])], "name", "the opponent")
            position = Position(int(state[OWN, wrong]), int(state[OCCUPIED, wrong]), rules)
            raise ValueError(f"opponent {name}: {describe_illegal(position, int(columns[wrong]))}")
