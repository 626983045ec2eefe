"""What stands between the network and the application: origin, content type, size, and headers for the browser.

The server listens on the loopback interface, but any page that the browser shows can send requests there. Starlette's
TrustedHostMiddleware refuses other names for this machine (DNS rebinding); the rest is here.
"""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY: Final = 4096
_BODY_SECONDS: Final = 10.0

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class Refused(Exception):  # noqa: N818 - an answer, not a defect
    """A request that is answered with ``status`` and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Guard:
    """Refuses what the page itself would not send, and adds the headers that keep the page to itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        try:
            check_headers(scope["method"], Headers(scope=scope))
        except Refused as refusal:
            await refused(refusal)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)


def check_headers(method: str, headers: Headers) -> None:
    """Raise Refused for a request that comes from elsewhere, or that can't be JSON of a reasonable size."""
    if method in ("GET", "HEAD"):
        return
    if headers.get("origin") != f"http://{headers.get('host')}":
        raise Refused(403, "requests are taken from this server's own page only")
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "the body is JSON: send content-type application/json")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 12 or int(length) > LARGEST_BODY:
        raise Refused(413, f"the body has at most {LARGEST_BODY} bytes")


async def read_body(request: Request) -> bytes:
    """The body, however it is sent.

    Raises:
        Refused: It is too large or does not arrive.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:
                    raise Refused(413, f"the body has at most {LARGEST_BODY} bytes")
    except TimeoutError:
        raise Refused(408, "the body did not arrive in time") from None
    except ClientDisconnect:
        raise Refused(400, "the body did not arrive") from None
    return bytes(body)


def refused(refusal: Refused) -> JSONResponse:
    """The answer to a refused request."""
    headers = {"Retry-After": "1"} if refusal.status == 429 else None
    return JSONResponse({"error": str(refusal)}, status_code=refusal.status, headers=headers)
