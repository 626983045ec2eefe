"""The application: the page's files, and five questions it may ask.

| request | answer |
|---|---|
| GET /api/agents | the agents there are, with their options |
| POST /api/move | the column an agent plays |
| POST /api/solve | the exact score of every column |
| POST /api/analyse | what an agent thinks |
| POST /api/tree | the search tree of a position |

Every request carries its position; the server keeps none.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from c4play.web.answers import Answers, search_tree
from c4play.web.guard import Guard, Refused, read_body, refused
from c4play.web.jobs import Busy, Limits, TooSlow, Workers
from c4play.web.schema import LIGHT_TREE, AgentRequest, SolveRequest, TreeRequest, check_tree, parse, position_of
from c4play.web.specs import Agents

STATIC: Final = Path(__file__).parent / "static"
_HOSTS: Final = ["127.0.0.1", "localhost"]
_STARTING: Final = 300.0
"""Seconds that loading libraries and compiling may take."""

T = TypeVar("T")


class Api:
    """The questions. Each method is an endpoint."""

    def __init__(self, agents: Agents, answers: Answers, workers: Workers) -> None:
        self._agents = agents
        self._answers = answers
        self._workers = workers

    async def agents(self, _request: Request) -> Response:
        """The agents there are; the first time it waits until those that read weights have been tried."""
        return JSONResponse({"agents": await self._run(self._agents.listing, seconds=_STARTING)})

    async def move(self, request: Request) -> Response:
        """The column an agent plays."""
        asked = parse(AgentRequest, await read_body(request))
        position, spec = position_of(asked), self._agents.check(asked.agent)
        return JSONResponse(await self._run(partial(self._answers.move, spec, position), heavy=spec.heavy))

    async def solve(self, request: Request) -> Response:
        """The exact score of every column; at once if they are known."""
        position = position_of(parse(SolveRequest, await read_body(request)))
        known = self._answers.solved(position)
        return JSONResponse(known or await self._run(partial(self._answers.solve, position)))

    async def analyse(self, request: Request) -> Response:
        """What an agent thinks."""
        asked = parse(AgentRequest, await read_body(request))
        position, spec = position_of(asked), self._agents.check(asked.agent)
        return JSONResponse(await self._run(partial(self._answers.analyse, spec, position), heavy=spec.heavy))

    async def tree(self, request: Request) -> Response:
        """The search tree of a position."""
        asked = parse(TreeRequest, await read_body(request))
        check_tree(asked)
        work = partial(search_tree, position_of(asked), asked.evaluation, asked.depth, asked.pruning)
        return JSONResponse(await self._run(work, heavy=asked.depth > LIGHT_TREE))

    async def _run(self, work: Callable[[], T], *, heavy: bool = False, seconds: float | None = None) -> T:
        try:
            return await self._workers.run(work, heavy=heavy, seconds=seconds)
        except Busy:
            raise Refused(429, "the server is busy with another request; try again in a moment") from None
        except TooSlow:
            limit = seconds or self._workers.limits.seconds
            raise Refused(422, f"no answer within {limit:g} s; ask for less") from None


def create_app(models: Path | None = None, limits: Limits | None = None) -> Starlette:
    """The application.

    Args:
        models: Folder with weights the page may use.
        limits: How much may go on at once.

    Raises:
        ValueError: There is no such folder.
    """
    agents = Agents(models)
    answers, workers = Answers(agents), Workers(limits)
    api = Api(agents, answers, workers)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        begun = (workers.run(work, seconds=_STARTING) for work in (answers.warm_up, agents.listing))
        warming = asyncio.gather(*begun, return_exceptions=True)
        yield
        warming.cancel()
        with suppress(asyncio.CancelledError):
            await warming
        workers.close()

    return Starlette(
        routes=[
            Route("/api/agents", _answered(api.agents), methods=["GET"]),
            *(
                Route(f"/api/{name}", _answered(getattr(api, name)), methods=["POST"])
                for name in ("move", "solve", "analyse", "tree")
            ),
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=_HOSTS, www_redirect=False),
            Middleware(Guard),
        ],
        exception_handlers={HTTPException: _http_error},
        lifespan=lifespan,
    )


def _answered(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint, with a refusal or a mistake in the request answered in one sentence."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Refused as refusal:
            return refused(refusal)
        except ValueError as error:
            return refused(Refused(400, str(error)))

    return answer


async def _http_error(_request: Request, error: Any) -> Response:
    return refused(Refused(error.status_code, str(error.detail)))
