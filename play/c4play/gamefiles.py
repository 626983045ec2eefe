"""Games as text files: one line of moves a game, columns 1 to 7.

A line that starts with ``#`` is the title of the next game; ``# rules: most-fours`` says by which rules those after it
were played.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from c4env.bitboard import Rules
from c4env.position import Position, check_rules

_LONGEST = 1 << 20
_RULES = "rules:"


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game of a file.

    Attributes:
        moves: Columns 1 to 7.
        title: The remark in front of it, without ``#``; empty if there is none.
        rules: The rules it was played by.
    """

    moves: str
    title: str = ""
    rules: Rules = "first-four"


def read_games(path: Path, rules: Rules = "first-four") -> list[RecordedGame]:
    """The games of a file, each checked to be playable; ``rules`` are those of a file that doesn't say.

    Raises:
        ValueError: The file can't be read, holds no game, or a line is none; names the line.
    """
    try:
        if path.stat().st_size > _LONGEST:
            raise ValueError(f"{path} is too large for a file of games")
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ValueError(f"can't read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a text file") from None
    games, title = [], ""
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text.startswith("#"):
            title = text[1:].strip()
        try:
            if title.startswith(_RULES):
                rules, title = check_rules(title.removeprefix(_RULES).strip()), ""
            elif text and not text.startswith("#"):
                Position.from_moves(text, rules)
                games.append(RecordedGame(text, title, rules))
                title = ""
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    if not games:
        raise ValueError(f"{path} holds no game: a game is a line of columns 1 to 7, such as 4453")
    return games


def save_game(path: Path, game: RecordedGame) -> None:
    """Write one game, in one step: an interruption leaves the old file or the new one.

    Raises:
        ValueError: It can't be written there.
    """
    remarks = ([] if game.rules == "first-four" else [f"{_RULES} {game.rules}"]) + ([game.title] if game.title else [])
    text = "".join(f"# {remark}\n" for remark in remarks) + game.moves + "\n"
    try:
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=path.name, delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
        Path(file.name).replace(path)
    except OSError as error:
        raise ValueError(f"can't write {path}: {error.strerror}") from None
