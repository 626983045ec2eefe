"""``c4 play``: people and agents at one board in the terminal, and replays."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from c4play.cli import EXIT_INTERRUPTED
from c4play.gamefiles import RecordedGame, read_games
from c4play.terminal.prompts import ask, ask_choice, ask_text

if TYPE_CHECKING:
    from c4play.terminal.game import Seat

EXAMPLES = """examples:
  c4 play                                          asks who plays; by default you against the trained policy
  c4 play policy:runs/mine/policy.safetensors      you move first against a policy of your own
  c4 play --first human --second hard              you move first against level 3
  c4 play --first human --second human --names Ann,Ben
  c4 play --first alphabeta:eval=windows,depth=8 --second mcts:simulations=5000 --step
  c4 play --first human --second medium --rules most-fours
  c4 play --replay 4453                            a game, with the solver's verdict on each move
  c4 play --replay games.txt --game 3              the third game of a file

at the prompt: 1 to 7 plays, u takes back, h gives a hint, a shows what the opponent thinks, s [FILE] saves, q quits
"""
HUMAN = "human"
LEVELS = {"1": "easy", "2": "medium", "3": "hard"}
DEFAULT_OPPONENT = "policy"
WITHOUT_TORCH = "hard"
"""The default opponent where the policy's library is not installed."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 play``."""
    parser.epilog = EXAMPLES
    parser.add_argument("opponent", nargs="?", metavar="WHO", help="whom you play against: short for --second WHO")
    parser.add_argument("--first", metavar="WHO", help="who moves first: human, a level 1 to 3, or an agent")
    parser.add_argument("--second", metavar="WHO", help="who moves second")
    parser.add_argument("--names", metavar="A,B", help="names of the first and the second player")
    parser.add_argument("--rules", default="first-four", help="first-four or most-fours (default first-four)")
    parser.add_argument("--moves", default="", help="moves already made, such as 4453")
    parser.add_argument("--seed", type=int, default=None, help="start of the agents' random numbers")
    parser.add_argument("--delay", type=float, default=0.0, metavar="SECONDS", help="pause after each agent's move")
    parser.add_argument("--step", action="store_true", help="wait for Enter before each agent's move")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the game here when it ends or is left")
    parser.add_argument("--replay", metavar="FILE|MOVES", help="step through a recorded game")
    parser.add_argument("--game", type=int, default=1, metavar="N", help="which game of the file to replay (default 1)")
    parser.add_argument("--no-color", action="store_true", help="letters instead of coloured discs")


def run(args: argparse.Namespace) -> int:
    """Play or replay."""
    console = Console(highlight=False, no_color=args.no_color or None, color_system=None if args.no_color else "auto")
    if not 0 <= args.delay <= 3600:
        raise ValueError(f"--delay is a number of seconds from 0 to 3600, not {args.delay:g}")
    try:
        return _replay(console, args) if args.replay is not None else _play(console, args)
    except EOFError:
        console.print("\nend of input, goodbye")
        return 0
    except KeyboardInterrupt:
        console.print("\ngoodbye")
        return EXIT_INTERRUPTED


def _replay(console: Console, args: argparse.Namespace) -> int:
    from c4env.position import Position, check_rules
    from c4play.terminal.replay import Replay

    rules = check_rules(args.rules)
    if args.replay.isdigit() and not Path(args.replay).exists():
        Position.from_moves(args.replay, rules)
        games = [RecordedGame(args.replay, rules=rules)]
    else:
        games = read_games(Path(args.replay), rules)
    if not 1 <= args.game <= len(games):
        raise ValueError(f"there is no game {args.game}; {args.replay} holds {len(games)}")
    Replay(console, games[args.game - 1]).run()
    return 0


def _play(console: Console, args: argparse.Namespace) -> int:
    if args.opponent is not None:
        if args.second is not None:
            raise ValueError(f"give the opponent once: {args.opponent} or --second {args.second}")
        args.second = args.opponent
    if args.save is not None and not args.save.parent.is_dir():
        raise ValueError(f"--save: there is no folder {args.save.parent}")
    who = _asked(console) if args.first is None and args.second is None else _given(args)
    if args.names is not None:
        names = [name.strip()[:40] for name in args.names.split(",")]
        if len(names) != 2 or not all(names):
            raise ValueError(f"--names takes two names, such as Ann,Ben, not {args.names!r}")
        who = [(spec, name) for (spec, _), name in zip(who, names, strict=True)]

    from c4env.arguments import starting_position
    from c4env.position import check_rules
    from c4play.terminal.game import Pace, Quit, TerminalGame

    start = starting_position(args.moves, check_rules(args.rules))
    seats = _seat(*who[0], args.seed), _seat(*who[1], None if args.seed is None else args.seed + 1)
    game = TerminalGame(console, seats, start, args.moves, Pace(args.step, args.delay))
    try:
        game.play()
    except Quit:
        console.print("goodbye")
    finally:
        if args.save is not None and game.moves:
            from c4play.gamefiles import save_game

            save_game(args.save, game.record)
    return 0


def _seat(spec: str, name: str, seed: int | None) -> Seat:
    from c4play.terminal.game import Seat

    if spec == HUMAN:
        return Seat(name)
    import c4agents
    from c4agents.agent import warm_up

    agent = c4agents.make(spec)
    warm_up(agent)
    if seed is not None:
        agent.seed(seed)
    return Seat(name, agent)


def _given(args: argparse.Namespace) -> list[tuple[str, str]]:
    """Spec and name of both seats, from the flags; a seat that is not given is a person, or the default agent."""
    specs = [args.first, args.second]
    for index, spec in enumerate(specs):
        if spec is None:
            specs[index] = HUMAN if specs[1 - index] != HUMAN else _default_opponent()
    specs = [LEVELS.get(spec, spec) for spec in specs]
    people, agents = specs.count(HUMAN), 2 - specs.count(HUMAN)
    names = []
    for index, spec in enumerate(specs):
        if spec == HUMAN:
            names.append("You" if people == 1 else f"Player {index + 1}")
        else:
            names.append("COMPUTER" if agents == 1 else spec)
    return list(zip(specs, names, strict=True))


def _asked(console: Console) -> list[tuple[str, str]]:
    """Spec and name of both seats, from questions."""
    pairings = {"1": "you against the computer", "2": "two people", "3": "computer against computer"}
    pairing = ask_choice(console, "Who plays?", pairings, "1")
    if pairing == "2":
        return [(HUMAN, ask_text(console, f"Name of player {n}?", f"Player {n}")) for n in (1, 2)]
    if pairing == "3":
        specs = [_ask_agent(console, f"Agent that moves {seat}?") for seat in ("first", "second")]
        return [(spec, spec) for spec in specs]
    name = ask_text(console, "Your name?", "You")
    spec = _ask_agent(console, "Opponent?")
    seats = [(HUMAN, name), (spec, "COMPUTER")]
    starts = ask_choice(console, "Who starts?", {"1": name, "2": "COMPUTER"}, "1")
    return seats if starts == "1" else seats[::-1]


def _ask_agent(console: Console, question: str) -> str:
    import c4agents

    default = _default_opponent()

    def parse(text: str) -> str:
        spec = LEVELS.get(text, text) or default
        c4agents.make(spec)
        return spec

    return ask(console, f"{question} (1 easy, 2 medium, 3 hard, or an agent, see c4 agents) [{default}]:", parse)


def _default_opponent() -> str:
    installed = all(importlib.util.find_spec(name) is not None for name in ("torch", "safetensors"))
    return DEFAULT_OPPONENT if installed else WITHOUT_TORCH
