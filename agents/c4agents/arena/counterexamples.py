"""From a position of a walk back to a game that reaches it, and on to the game's end."""

from __future__ import annotations

import numpy as np

from c4agents.agent import Agent
from c4agents.arena.asking import ILLEGAL, ask
from c4agents.arena.certificate import OUTCOMES, Counterexample, Question
from c4agents.arena.exact import Oracle
from c4agents.arena.walk import Keys, Store
from c4env.bitboard import COLUMNS, canonical_key, key
from c4env.position import DIGITS, Position, PositionBatch


def roots(start: Position, ply: int, mirrored: bool) -> Keys:
    """Keys of the first layer: ``start``, or all answers to it if the opponent is to move there.

    Raises:
        ValueError: An answer ends the game before the agent has moved.
    """
    first = [start] if start.ply == ply else [start.play(column) for column in start.legal]
    if any(position.is_over for position in first):
        raise ValueError("the opponent can end the game before the agent has moved; there is nothing to certify")
    return np.unique(np.array([_key(position, mirrored) for position in first], np.int64))


def game_to(store: Store, start: Position, question: Question, ply: int, index: int) -> tuple[str, int]:
    """A game from the empty board to a position of a layer.

    Returns:
        Its moves up to the position, and the agent's column there (``ILLEGAL`` if it failed), both in the orientation
        of the game.
    """
    chain = []
    at = index
    for layer in range(ply, -1, -2):
        chain.append((int(store.read("keys", layer)[at]), int(store.read("columns", layer)[at])))
        at = int(store.read("parents", layer)[at])
        if at < 0:
            break
    chain.reverse()
    moves, position = question.opening, start
    agent_column: int | None = None
    for stored, column in chain:
        if agent_column is not None:
            moves, position = moves + DIGITS[agent_column], position.play(agent_column)
        if _key(position, question.mirrored) != stored or agent_column is not None:
            answer = next(
                column for column in position.legal if _key(position.play(column), question.mirrored) == stored
            )
            moves, position = moves + DIGITS[answer], position.play(answer)
        turned = position.key != stored
        agent_column = COLUMNS - 1 - column if turned and column != ILLEGAL else column
    assert agent_column is not None
    return moves, agent_column


def finished(
    agent: Agent, moves: str, column: int, values: tuple[int, int] | None, oracle: Oracle | None
) -> Counterexample:
    """The counterexample that the agent's ``column`` after ``moves`` is.

    Args:
        agent: The agent, to play on after a leak.
        moves: The game up to the agent's turn.
        column: What it plays there.
        values: The exact outcome before and after its move, if that is a leak.
        oracle: Exact values, to play on.
    """
    position = Position.from_moves(moves)
    if column == ILLEGAL:
        reason = ask(agent, position).failure or "could not answer among others"
        return Counterexample("failure", moves, moves, f"{agent.name} {reason}")
    moves, position = moves + DIGITS[column], position.play(column)
    if values is not None:
        assert oracle is not None
        game, ended = _play_out(agent, moves, position, oracle)
        was, now = OUTCOMES[values[0]], OUTCOMES[values[1]]
        note = f"move {len(moves)}, column {column + 1}, turns a {was} into a {now}; then {ended}"
        return Counterexample("leak", moves, game, note)
    for answer in position.legal:
        end = position.play(answer)
        if end.winner is not None:
            return Counterexample("loss", moves + DIGITS[answer], moves + DIGITS[answer], f"lost at ply {end.ply}")
    for answer in position.legal:
        if position.play(answer).is_draw:
            moves += DIGITS[answer]
            break
    return Counterexample("draw", moves, moves, "drawn")


def _play_out(agent: Agent, moves: str, position: Position, oracle: Oracle) -> tuple[str, str]:
    """Go on with perfect play for the opponent; returns the game and how it ended, in a word."""
    opponent = position.player
    while not position.is_over:
        if position.player == opponent:
            batch = PositionBatch.of([position])
            scores = oracle.scores(batch.own, batch.occupied)[0]
            column = max(position.legal, key=lambda column: (int(scores[column]), -abs(column - 3)))
        else:
            answer = ask(agent, position)
            if answer.failure:
                return moves, f"the agent {answer.failure}"
            column = answer.column
        moves, position = moves + DIGITS[column], position.play(column)
    return moves, {None: "drawn", opponent: "lost"}.get(position.winner, "won after all")


def _key(position: Position, mirrored: bool) -> int:
    return canonical_key(position.own, position.occupied) if mirrored else key(position.own, position.occupied)
