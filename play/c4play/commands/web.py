"""``c4 web``: the page."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

EXAMPLES = """examples:
  c4 web                        opens http://127.0.0.1:4444/ in the browser
  c4 web --port 0 --no-open     any free port; prints the address
  c4 web --models runs          the page may also play the policies of this folder

it listens on this machine only; agents on the page are those of c4 agents
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 web``."""
    parser.epilog = EXAMPLES
    parser.add_argument("--port", type=int, default=4444, help="port to listen on, 0 for any free one (default 4444)")
    parser.add_argument("--no-open", action="store_true", help="don't open the browser")
    parser.add_argument("--models", type=Path, metavar="FOLDER", help="weights (.safetensors) the page may use")


def run(args: argparse.Namespace) -> int:
    """Serve the page until interrupted."""
    if not 0 <= args.port <= 65535:
        raise ValueError(f"--port is from 0 to 65535, not {args.port}")
    try:
        from c4play.web.server import serve
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise ValueError(f'the page needs {error.name}: pip install "c4env[web]"') from None
    serve(args.port, models=args.models, open_browser=not args.no_open)
    sys.stdout.flush()
    os._exit(0)  # a search that still runs can't be stopped, and has nothing to save
