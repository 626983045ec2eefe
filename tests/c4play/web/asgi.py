"""Requests handed straight to the application, headers and all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

HOST = "127.0.0.1:4444"
OWN = {"host": HOST, "origin": f"http://{HOST}", "content-type": "application/json"}
"""What the page's own requests say."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def send(
    app: Any,
    method: str,
    path: str,
    body: bytes | Iterable[bytes] = b"",
    headers: dict[str, str] | None = None,
) -> Answer:
    """The answer to one request; ``body`` may come in pieces. ``headers`` replace the page's own; "" leaves one out."""
    given = OWN | (headers or {})
    pieces = [body] if isinstance(body, bytes) else list(body)
    if isinstance(body, bytes) and body and "content-length" not in given:
        given["content-length"] = str(len(body))
    messages = [
        {"type": "http.request", "body": piece, "more_body": index < len(pieces) - 1}
        for index, piece in enumerate(pieces or [b""])
    ]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("utf-8", "surrogateescape"),
        "root_path": "",
        "query_string": b"",
        "headers": [(key.encode(), value.encode("latin-1", "replace")) for key, value in given.items() if value],
        "client": ("127.0.0.1", 5555),
        "server": ("127.0.0.1", 4444),
    }
    got: list[Any] = []

    async def receive() -> Any:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def take(message: Any) -> None:
        got.append(message)

    await app(scope, receive, take)
    start = got[0]
    return Answer(
        start["status"],
        {key.decode(): value.decode() for key, value in start["headers"]},
        b"".join(message.get("body", b"") for message in got[1:]),
    )


def request(app: Any, method: str, path: str, body: Any = b"", headers: dict[str, str] | None = None) -> Answer:
    """:func:`send`, on an event loop of its own."""
    return asyncio.run(send(app, method, path, body, headers))


def post(app: Any, question: str, **fields: Any) -> Answer:
    """A question as the page asks it."""
    return request(app, "POST", f"/api/{question}", json.dumps(fields).encode())
