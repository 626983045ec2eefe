"""Running the application: a port, a browser, and an end on Ctrl-C."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import webbrowser
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn

from c4play.web.app import create_app

HOST: Final = "127.0.0.1"


def listen(port: int) -> socket.socket:
    """A socket on the loopback interface; port 0 is any free one.

    Raises:
        ValueError: The port is taken or not allowed.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise ValueError(
            f"can't listen on port {port}: {error.strerror}; take another with --port, 0 for any"
        ) from None
    listener.listen(128)
    return listener


class Server(uvicorn.Server):
    """A server that ends without a word about the requests it leaves unanswered."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)


def make_server(models: Path | None = None) -> Server:
    """The server, not yet running."""
    config = uvicorn.Config(
        create_app(models), log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=1
    )
    return Server(config)


def serve(port: int, *, models: Path | None = None, open_browser: bool = True) -> None:
    """Serve until interrupted."""
    server = make_server(models)
    with listen(port) as listener:
        address = f"http://{HOST}:{listener.getsockname()[1]}/"
        print(f"c4 web: {address} (Ctrl-C ends it)", flush=True)
        if open_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])
