"""Stepping through a game, with the solver's verdict on every move."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.table import Table

from c4env.position import Position
from c4play.gamefiles import RecordedGame
from c4play.terminal.board import draw_board, side_name
from c4play.terminal.opinions import exact_scores
from c4play.verdicts import Grade, Verdict, describe_score, judge

GRADES: tuple[Grade, ...] = ("perfect", "inaccuracy", "blunder")
STYLES = {"perfect": "green", "inaccuracy": "yellow", "blunder": "bold red"}


class Replay:
    """A recorded game, judged move by move as far as it has been looked at.

    Args:
        console: Where it is shown.
        game: The game.
    """

    def __init__(self, console: Console, game: RecordedGame) -> None:
        self.console = console
        self.game = game
        self.positions = [Position(rules=game.rules)]
        for move in game.moves:
            self.positions.append(self.positions[-1].play(int(move) - 1))
        self.verdicts: list[Verdict | None] = [None] * len(game.moves)

    def run(self) -> None:
        """Show the game; on a terminal Enter goes on, b goes back, q ends, otherwise all at once.

        Raises:
            EOFError: The input has ended.
        """
        if self.game.title:
            self.console.print(self.game.title, style="bold", markup=False, highlight=False)
        ply, last = 0, len(self.game.moves)
        self._show(0)
        while ply < last:
            if self.console.is_terminal:
                given = self.console.input("Enter: next move, b: back, q: quit ", markup=False).strip().lower()
                if given == "q":
                    return
                ply += -1 if given == "b" and ply > 0 else (1 if given != "b" else 0)
            else:
                ply += 1
            self._show(ply)
        self._summary()

    def _show(self, ply: int) -> None:
        position = self.positions[ply]
        last = int(self.game.moves[ply - 1]) - 1 if ply else None
        self.console.print()
        self.console.print(draw_board(self.console, position, last))
        if ply:
            self.console.print(self._sentence(ply), markup=False, highlight=False, style=self._style(ply))
        if position.is_over:
            winner = position.winner
            text = "A draw." if winner is None else f"{side_name(self.console, winner)} wins."
            if position.rules == "most-fours":
                text = f"The board is full, {position.fours[0]} : {position.fours[1]}. {text}"
            self.console.print(text, style="bold green", markup=False)

    def _verdict(self, ply: int) -> Verdict | None:
        """The verdict on the move that led to ``ply``; None under rules the solver doesn't play."""
        before = self.positions[ply - 1]
        if before.rules != "first-four":
            return None
        if self.verdicts[ply - 1] is None:
            with self.console.status("solving ..."):
                scores = exact_scores(before)
            self.verdicts[ply - 1] = judge(scores, int(self.game.moves[ply - 1]) - 1)
        return self.verdicts[ply - 1]

    def _style(self, ply: int) -> str | None:
        verdict = self._verdict(ply)
        return STYLES[verdict.grade] if verdict else None

    def _sentence(self, ply: int) -> str:
        mover, column = side_name(self.console, (ply - 1) % 2), self.game.moves[ply - 1]
        verdict = self._verdict(ply)
        if verdict is None:
            return f"{ply}. {mover} plays {column}"
        text = f"{ply}. {mover} plays {column}: {verdict.grade}, {describe_score(verdict.score, ply - 1)}"
        if verdict.grade == "perfect":
            return text
        better = " or ".join(str(one + 1) for one in verdict.better)
        return f"{text}; {better} was {describe_score(verdict.best, ply - 1)}"

    def _summary(self) -> None:
        counts = [Counter[str](), Counter[str]()]
        for index, verdict in enumerate(self.verdicts):
            if verdict:
                counts[index % 2][verdict.grade] += 1
        if not any(counts):
            return
        table = Table("", *GRADES)
        for player in (0, 1):
            table.add_row(side_name(self.console, player), *(str(counts[player][grade]) for grade in GRADES))
        self.console.print(table)
