"""What the server refuses, and that nothing that is sent makes it fail."""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import string
from typing import Any

import pytest

from c4play.web.guard import LARGEST_BODY
from tests.c4play.web.asgi import HOST, OWN, post, request, send

SOLVE = json.dumps({"moves": "44536213"}).encode()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.2:4444", ""])
@pytest.mark.parametrize("path", ["/", "/api/agents", "/api/solve"])
def test_another_host_name_is_400(app, host, path):
    assert request(app, "GET", path, headers={"host": host}).status == 400


def test_this_machine_s_names_are_fine(app):
    for host in ("127.0.0.1:4444", "localhost:80", "localhost"):
        answer = request(app, "POST", "/api/solve", SOLVE, {"host": host, "origin": f"http://{host}"})
        assert answer.status == 200


@pytest.mark.parametrize(
    "origin",
    ["", "null", "http://evil.example", "https://127.0.0.1:4444", "http://127.0.0.1:4445", "http://localhost:4444"],
)
def test_a_post_from_another_origin_is_403(app, origin):
    for question in ("move", "solve", "analyse", "tree"):
        answer = request(app, "POST", f"/api/{question}", SOLVE, {"origin": origin})
        assert answer.status == 403
        assert "own page" in answer.json["error"]


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_body_that_a_form_could_send_is_415(app, kind):
    assert request(app, "POST", "/api/solve", SOLVE, {"content-type": kind}).status == 415


def test_large_bodies_are_413_whether_they_say_so_or_not(app):
    large = b'{"moves": "' + b"4" * 1_000_000 + b'"}'
    assert request(app, "POST", "/api/solve", large).status == 413
    assert request(app, "POST", "/api/solve", [large[n : n + 1000] for n in range(0, 1_000_000, 1000)]).status == 413
    assert request(app, "POST", "/api/solve", SOLVE, {"content-length": "9" * 5000}).status == 413
    assert request(app, "POST", "/api/solve", SOLVE + b" " * (LARGEST_BODY - len(SOLVE))).status == 200
    assert request(app, "POST", "/api/solve", SOLVE + b" " * (LARGEST_BODY - len(SOLVE) + 1)).status == 413


@pytest.mark.parametrize(
    "spec",
    [
        "policy:/etc/passwd",
        "policy:path=/etc/passwd",
        "policy:../../etc/passwd",
        "policy:~/policy.safetensors",
        "policy:path=,search=3",
        "os:system",
        "subprocess:run",
        "c4agents.simple:RandomAgent",
        "my_bot.py:play",
        "/tmp/bot.py:play",
        "random:seed=1:x",
        "hard\n",
        "",
    ],
)
def test_specs_with_paths_and_modules_are_refused(app, spec):
    for question in ("move", "analyse"):
        answer = post(app, question, agent=spec)
        assert answer.status == 400
        assert answer.json["error"]
        if spec.startswith("policy:") and "/" in spec:  # refused by its name: the file is not even opened
            assert "there is no model" in answer.json["error"]


@pytest.mark.parametrize(
    "path", ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "/static/../../app.py", "//etc/passwd"]
)
def test_only_the_page_s_files_are_served(app, path):
    answer = request(app, "GET", path)
    assert answer.status == 404
    assert b"import" not in answer.body


def test_every_answer_carries_the_headers_that_keep_the_page_to_itself(app):
    for answer in (
        request(app, "GET", "/"),
        request(app, "GET", "/nothing"),
        request(app, "GET", "/api/agents"),
        request(app, "POST", "/api/solve", b"{}", {"origin": ""}),
        post(app, "solve"),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


def test_the_real_server_refuses_likewise(server):
    def status(method: str, path: str, body: bytes | None = None, **headers: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        own = {"Origin": server.address.rstrip("/"), "Content-Type": "application/json"}
        connection.request(method, path, body, own | {key.replace("_", "-"): value for key, value in headers.items()})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    assert status("GET", "/") == 200
    assert status("POST", "/api/solve", SOLVE) == 200
    assert status("GET", "/", Host="evil.example") == 400
    assert status("POST", "/api/solve", SOLVE, Origin="http://evil.example") == 403
    assert status("POST", "/api/solve", b"4" * LARGEST_BODY * 2) == 413
    assert status("DELETE", "/api/solve", SOLVE) == 405
    assert status("GET", "/../../../../etc/passwd") == 404


class Fuzz:
    """Requests that are nearly right, or not at all."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self) -> str:
        pick = self.random
        alphabets = (
            string.printable,
            "1234567",
            "0189 ,:=/.\\",
            "äß漢\u0000\ud800\uffff😀",
            "alphabeta:depth=,policy/",
        )
        return "".join(pick.choice(pick.choice(alphabets)) for _ in range(pick.choice((0, 1, 3, 8, 43, 300))))

    def value(self, depth: int = 0) -> Any:
        pick = self.random
        kind = pick.randrange(10 if depth < 4 else 7)
        if kind < 2:
            return self.text()
        if kind < 4:
            return pick.choice((0, 1, -1, 2**63, 10**300, 3, 1.5, float("nan"), float("inf"), -0.0))
        if kind < 7:
            return pick.choice((None, True, False, "4453", "first-four", "most-fours", "hard", "policy:x", "random"))
        if kind < 9:
            return [self.value(depth + 1) for _ in range(pick.randrange(4))]
        return {self.text(): self.value(depth + 1) for _ in range(pick.randrange(4))}

    def body(self) -> bytes:
        pick = self.random
        fields = ("moves", "rules", "agent", "depth", "evaluation", "pruning", self.text())
        content = {pick.choice(fields): self.value() for _ in range(pick.randrange(5))}
        whole = json.dumps(content if pick.random() < 0.8 else self.value()).encode()
        match pick.randrange(6):
            case 0:
                return whole[: pick.randrange(len(whole) + 1)]
            case 1:
                return pick.randbytes(pick.randrange(60))
            case 2:
                return b"[" * pick.choice((10, 2000, 4000))
            case _:
                return whole

    def request(self) -> tuple[str, str, bytes, dict[str, str]]:
        pick = self.random
        method = pick.choice(("POST", "POST", "POST", "POST", "POST", "GET", "PUT", "HEAD", "OPTIONS", "PATCH", "X"))
        paths = ("/api/move", "/api/solve", "/api/analyse", "/api/tree", "/api/solve/", "/api", "/", "/" + self.text())
        headers = {}
        if pick.random() < 0.2:
            name = pick.choice(("host", "origin", "content-type", "content-length", "range", "if-modified-since"))
            headers[name] = self.text().replace("\n", "").replace("\r", "")
        return method, pick.choice(paths).replace("\ud800", ""), self.body(), headers


def test_ten_thousand_malformed_requests_and_never_a_server_error(app):
    async def all_of_them() -> dict[int, int]:
        fuzz, statuses = Fuzz(7), dict[int, int]()
        for number in range(10_000):
            method, path, body, headers = fuzz.request()
            answer = await send(app, method, path, body, headers)
            assert answer.status < 500, (number, method, path, body, headers)
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
            if path.startswith("/api/") and answer.status >= 400 and method == "POST" and "host" not in headers:
                assert answer.json["error"], (number, answer)
        return statuses

    statuses = asyncio.run(all_of_them())
    assert statuses[400] > 2000
    assert statuses.get(200, 0) > 50  # it does get past the guards


def test_the_helpers_send_what_the_page_sends(app):
    assert OWN["origin"] == f"http://{HOST}"
    assert post(app, "solve").status == 200
