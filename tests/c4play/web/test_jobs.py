"""Bounded queues and time limits."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from c4play.web import app as app_module
from c4play.web.app import create_app
from c4play.web.jobs import Busy, Limits, TooSlow, Workers
from tests.c4play.web.asgi import send


def test_a_second_heavy_job_is_refused_until_the_first_has_ended():
    async def scene() -> None:
        workers, gate = Workers(), threading.Event()
        first = asyncio.create_task(workers.run(gate.wait, heavy=True))
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await workers.run(gate.wait, heavy=True)
        assert await workers.run(lambda: 3) == 3  # light work goes on
        gate.set()
        assert await first
        assert await workers.run(lambda: 4, heavy=True) == 4
        workers.close()

    asyncio.run(scene())


def test_the_queue_of_light_jobs_is_bounded():
    async def scene() -> None:
        workers, gate = Workers(Limits(threads=1, waiting=2)), threading.Event()
        running = [asyncio.create_task(workers.run(gate.wait)) for _ in range(3)]
        await asyncio.sleep(0)
        for _ in range(5):
            with pytest.raises(Busy):
                await workers.run(gate.wait)
        gate.set()
        assert all(await asyncio.gather(*running))
        assert await workers.run(lambda: 1) == 1
        workers.close()

    asyncio.run(scene())


def test_after_the_time_limit_what_waits_is_dropped_and_what_runs_keeps_its_place():
    async def scene() -> None:
        workers, gate, began = Workers(Limits(threads=1, waiting=1, seconds=0.05)), threading.Event(), threading.Event()
        both = await asyncio.gather(workers.run(gate.wait), workers.run(began.set), return_exceptions=True)
        assert [type(each) for each in both] == [TooSlow, TooSlow]
        waiting = asyncio.create_task(workers.run(lambda: 5))
        await asyncio.sleep(0)
        with pytest.raises(Busy):  # one runs still, one waits
            await workers.run(lambda: 6)
        gate.set()
        assert await waiting == 5
        assert not began.is_set()
        workers.close()

    asyncio.run(scene())


def test_the_server_says_429_to_a_second_heavy_request_and_422_when_time_is_up(monkeypatch: pytest.MonkeyPatch):
    gate = threading.Event()

    def slow(*_: Any) -> dict[str, Any]:
        gate.wait()
        return {}

    monkeypatch.setattr(app_module, "search_tree", slow)

    async def scene() -> None:
        app = create_app(limits=Limits(seconds=0.3))
        body = json.dumps({"depth": 5}).encode()
        first = asyncio.create_task(send(app, "POST", "/api/tree", body))
        await asyncio.sleep(0.05)
        second = await send(app, "POST", "/api/tree", body)
        assert second.status == 429
        assert "busy" in second.json["error"]
        assert "retry-after" in second.headers
        light = await send(app, "GET", "/")
        assert light.status == 200
        late = await first
        assert late.status == 422
        assert "no answer within" in late.json["error"]
        gate.set()

    asyncio.run(scene())
