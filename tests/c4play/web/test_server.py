"""``c4 web`` as a command: wrong arguments, and its end."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import threading

import pytest

from c4play.cli import main
from tests.c4play.web.conftest import COMMAND


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "70000"], "--port is from 0 to 65535"),
        (["--port", "0", "--models", "/nowhere"], "there is no folder /nowhere"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, message, capsys):
    assert main(["web", "--no-open", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1


def test_a_port_that_is_taken_is_one_line(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["web", "--no-open", "--port", str(taken.getsockname()[1])]) == 2
    assert "take another with --port" in capsys.readouterr().err


def test_an_interrupt_ends_it_without_a_word_even_while_an_agent_thinks():
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        http.client.HTTPConnection("127.0.0.1", port, timeout=120).request("GET", "/")
        asked = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        headers = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
        asked.request("POST", "/api/move", json.dumps({"agent": "mcts:seconds=5"}), headers)
        threading.Event().wait(1)  # it has begun, or has not: either way it ends
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 0
    assert (said, complained.replace("c4env: compiling for this machine; a few seconds, only once ...\n", "")) == (
        "",
        "",
    )
