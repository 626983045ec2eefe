"""Fifty clients at once."""

from __future__ import annotations

import http.client
import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.c4play.web.conftest import Running
from tests.c4play.web.test_answers import random_moves

CLIENTS, EACH = 50, 12


def ask(server: Running, seed: int) -> list[int]:
    """The statuses one client gets: exact scores and opinions of its own mid-game positions."""
    generator, statuses = random.Random(seed), []
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    headers = {"Origin": server.address.rstrip("/"), "Content-Type": "application/json"}
    for number in range(EACH):
        fields = {"moves": random_moves(generator, generator.randint(16, 30))}
        question = "solve" if number % 3 else "analyse"
        body = json.dumps(fields | ({} if number % 3 else {"agent": "hard"}))
        connection.request("POST", f"/api/{question}", body, headers)
        answer = connection.getresponse()
        content = json.loads(answer.read())
        assert ("error" in content) == (answer.status != 200)
        statuses.append(answer.status)
    connection.close()
    return statuses


def resident(pid: int) -> int:
    """Megabytes of memory a process holds."""
    fields = Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * 4096 // 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="reads memory use from /proc")
def test_fifty_clients_get_answers_and_memory_stays_flat(server: Running):
    with ThreadPoolExecutor(CLIENTS) as clients:
        first = [status for got in clients.map(lambda seed: ask(server, seed), range(CLIENTS)) for status in got]
        held = resident(server.pid)
        again = [
            status for got in clients.map(lambda seed: ask(server, seed), range(100, 100 + CLIENTS)) for status in got
        ]
    assert set(first + again) <= {200, 429}
    assert again.count(200) > 0.9 * len(again)
    # The solver's table fills, page by page, up to its 128 MB; nothing else grows.
    assert resident(server.pid) - held < 128
