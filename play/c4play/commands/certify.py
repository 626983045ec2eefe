"""``c4 certify``: proof that an agent cannot be beaten, or the games that beat it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from c4agents.arena.certificate import OUTCOMES, Certificate, differences, read_certificate
from c4agents.arena.certification import Leaks, WalkProgress, certify
from c4agents.arena.exact import solver
from c4agents.arena.labelled import from_scores, write_positions
from c4agents.arena.storing import write_json
from c4play.crews import add_crew_options, crew_of
from c4play.progress import progress_bar

EXAMPLES = """examples:
  c4 certify hard --first                      the shortest way to take a win from it
  c4 certify policy --output certificate.json --leaks leaks.npz
  c4 certify solver --folder walk              hours or interruptions: repeat the command to go on
  c4 certify solver --folder walk --workers 0  the same with all cores; --ray auto with all of a cluster
  c4 certify rules --freeze 1 --first          one with randomness, decided by a seed
  c4 certify solver --seat second --opening 1 --plies 12
  c4 certify --verify certificate.json         walk it again and compare

Only the opponent chooses, so all games against a deterministic agent can be walked. A leak is a move
after which the exact outcome is worse for the agent than before it; the walk does not go on behind one.
With no leak and no limit the result is a proof that needs no solver: every game was followed to its end.
The exit code is 0 if nothing bad was found, 1 if something was (or a certificate does not hold).
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 certify``."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        "agent", metavar="AGENT", nargs="?", help="a deterministic agent: a spec, module:attribute or file.py:attribute"
    )
    parser.add_argument("--seat", choices=("first", "second"), default="first", help="its seat (default first)")
    parser.add_argument("--opening", default="", metavar="MOVES", help="moves all games start with, columns 1 to 7")
    parser.add_argument("--first", action="store_true", help="stop after the first ply with a counterexample")
    parser.add_argument("--plain", action="store_true", help="ask no solver: look at the ends of games only")
    parser.add_argument("--plies", type=int, metavar="N", help="do not ask the agent beyond this ply")
    parser.add_argument("--max-positions", type=int, metavar="N", help="stop before there are more positions than this")
    parser.add_argument(
        "--both-orientations", action="store_true", help="check mirror images too, even if it declares it plays alike"
    )
    parser.add_argument(
        "--freeze",
        type=int,
        metavar="SEED",
        help="for an agent with randomness: decide it by this seed and the position",
    )
    parser.add_argument("--folder", type=Path, help="keep the walk here; the same command goes on with it")
    add_crew_options(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the certificate as JSON")
    parser.add_argument("--leaks", type=Path, metavar="FILE", help="write the leaks as labelled positions, .npz")
    parser.add_argument("--verify", type=Path, metavar="FILE", help="check a certificate by walking again")
    parser.add_argument("--json", action="store_true", help="print the certificate as JSON")


def run(args: argparse.Namespace) -> int:
    """Walk, and print and write what was found."""
    if args.verify is not None:
        return _verify(args)
    if args.agent is None:
        raise ValueError("which agent? c4 certify AGENT, or c4 certify --verify FILE")
    if args.leaks is not None and args.plain:
        raise ValueError("leaks are found by the solver: leave out --plain")
    if args.leaks is not None and args.leaks.suffix != ".npz":
        raise ValueError(f"leaks are written as .npz, not {args.leaks.suffix or args.leaks}")
    for name, least in (("plies", 0), ("max_positions", 1)):
        value = getattr(args, name)
        if value is not None and value < least:
            raise ValueError(f"{name.replace('_', '-')} is a whole number of at least {least}, not {value}")
    try:
        certificate, leaks = _walk(args, args.agent, args.max_positions)
    except KeyboardInterrupt:
        hint = "the same command goes on" if args.folder else "with --folder it could go on"
        print(f"c4 certify: interrupted; {hint}", file=sys.stderr)
        return 130
    if args.output is not None:
        write_json(args.output, certificate.to_dict())
    if args.leaks is not None:
        _write_leaks(args.leaks, leaks)
    print(json.dumps(certificate.to_dict(), indent=2) if args.json else describe(certificate))
    return int(_is_bad(certificate))


def describe(certificate: Certificate) -> str:
    """The certificate as text: a line by ply, the counterexamples, the verdict."""
    lines = [f"{'ply':>3}{'positions':>13}{'wins':>12}{'draws':>9}{'losses':>9}{'leaks':>9}"]
    for layer in certificate.layers:
        counts = (layer.wins, layer.draws, layer.losses, layer.leaks if certificate.question.exact else "-")
        cells = [f"{count:,}" if isinstance(count, int) else count for count in counts]
        lines.append(f"{layer.ply:>3}{layer.positions:>13,}{cells[0]:>12}{cells[1]:>9}{cells[2]:>9}{cells[3]:>9}")
    for example in certificate.counterexamples:
        lines.append(f"{example.kind}: {example.moves or '(no moves)'}: {example.note}")
        if example.game != example.moves:
            lines.append(f"      {example.game}")
    mirrored = "mirror images counted once" if certificate.question.mirrored else "both orientations checked"
    worst = "nothing" if certificate.worst is None else f"a {OUTCOMES[certificate.worst]}"
    lines.append(f"worst that happened: {worst}; {mirrored}; {certificate.seconds:.1f} s")
    lines.append(("proven: " if certificate.proven else "") + certificate.verdict)
    return "\n".join(lines)


def _walk(args: argparse.Namespace, agent: str, max_positions: int | None) -> tuple[Certificate, Leaks]:
    with crew_of(args, "positions") as crew, progress_bar("positions", detail=crew.brief) as bar:

        def tell(at: WalkProgress) -> None:
            bar(f"ply {at.ply}, {at.doing} ({at.before:,} before)", at.done, at.total)

        return certify(
            agent,
            args.seat,
            args.opening,
            oracle=None if args.plain else solver(),
            first=args.first,
            plies=args.plies,
            max_positions=max_positions,
            both_orientations=args.both_orientations,
            freeze=args.freeze,
            folder=args.folder,
            workers=crew,
            progress=tell,
        )


def _is_bad(certificate: Certificate) -> bool:
    """Whether the agent gave something away; a loss from a lost position is no fault if values are exact."""
    failed = any(example.kind == "failure" for example in certificate.counterexamples)
    lost = not certificate.question.exact and any(layer.losses for layer in certificate.layers)
    return bool(certificate.leaks or failed or lost)


def _verify(args: argparse.Namespace) -> int:
    old = read_certificate(args.verify)
    asked = old.question
    args.seat, args.opening, args.plies = asked.seat, asked.opening, asked.plies
    args.plain, args.both_orientations = not asked.exact, not asked.mirrored
    args.first, args.freeze = False, asked.frozen
    # A certificate that is not complete stopped before its next layer; so does a walk with no room for one more.
    new, _ = _walk(args, args.agent or asked.agent, None if old.complete else old.positions)
    found = differences(old, new)
    if args.json:
        print(json.dumps({"holds": not found, "differences": found, "verdict": old.verdict}, indent=2))
    elif found:
        print(f"{args.verify} does not hold:")
        print("\n".join(f"  {difference}" for difference in found))
    else:
        print(f"{args.verify} holds: {old.verdict}")
    return int(bool(found))


def _write_leaks(path: Path, leaks: Leaks) -> None:
    scores = solver().scores(leaks.own, leaks.occupied)
    write_positions(path, from_scores(leaks.own, leaks.occupied, scores, path.name))
