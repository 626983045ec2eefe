"""``c4 play`` as it runs for a person: on a pseudo-terminal, or with pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pexpect

COMMAND = [sys.executable, "-c", "import sys; from c4play.cli import main; sys.exit(main())", "play"]
PROMPT = r"your column \(\? for help\): "


def spawn(*arguments: str) -> pexpect.spawn[str]:
    """``c4 play`` on a terminal; Ctrl-C reaches it even if this process was started with interrupts ignored."""
    return pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], *arguments],
        encoding="utf-8",
        timeout=120,
        dimensions=(40, 100),
        env={name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"},
        echo=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def finish(child: pexpect.spawn[str]) -> tuple[str, int]:
    """What it printed to the end, and its exit code."""
    child.expect(pexpect.EOF)
    text = child.before or ""
    child.close()
    assert "Traceback" not in text
    return text, int(child.exitstatus)


def piped(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *arguments], input=text, capture_output=True, text=True, check=False, timeout=120)
    assert "Traceback" not in done.stderr
    return done
