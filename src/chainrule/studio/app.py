"""The routes of the studio, and their endpoints.

Everything is behind the `Guard` of security.py. Work runs in threads with a time limit.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from ..learn.exercise import ExerciseError
from ..learn.progress import default_folder
from . import limits, pictures, schemas
from .jobs import Jobs
from .lessons import Course
from .limits import RefusedError
from .schemas import AnyCommand, Start
from .server import files, wire
from .server.security import FAILED, PROTOCOL, Guard
from .server.timeouts import Room
from .trainer import code
from .trainer.runs import Outbox, Run

T = TypeVar("T")
Endpoint = Callable[[Request], Awaitable[Response]]

log: logging.Logger = logging.getLogger(__name__)


def build(port: int, folder: Path | None = None, room: Room | None = None) -> Guard:
    """Build the studio's ASGI application for a local port.

    `folder` is where the learner's files are kept; by default, it is the folder that `chainrule learn`
    uses. `room` tracks the server's connections.
    """
    studio, course = Studio(), Course(folder or default_folder())
    routes = [
        Route("/", functools.partial(static, "studio/static/pages/index.html")),
        Route("/enter", functools.partial(static, "studio/static/pages/enter.html")),
        Route("/static/{name:path}", static_named),
        studio.post("/api/picture", pictures.of_expression, schemas.Expression),
        studio.post("/api/check", pictures.check, schemas.Expression),
        studio.post("/api/sample", pictures.of_sample, schemas.Sample),
        studio.post("/api/export", pictures.export, schemas.Export),
        studio.post("/api/code", program, schemas.Code),
        studio.get("/api/course", course.overview),
        studio.get("/api/lesson/{number}", course.lesson),
        studio.get("/api/work/{exercise}", course.work),
        studio.put("/api/work/{exercise}", course.save, schemas.Save),
        studio.post("/api/hint", course.hint, schemas.Hint),
        studio.post("/api/solution", course.solution, schemas.Solution),
        studio.post("/api/quiz", course.quiz, schemas.Quiz),
        studio.post("/api/question", course.question, schemas.Question),
        studio.running("/api/run-blocks", course.run_blocks, schemas.Blocks),
        studio.running("/api/run-exercise", course.run_exercise, schemas.Work),
        studio.running("/api/check-exercise", course.check, schemas.Work),
        studio.post("/api/stop", studio.stop, schemas.Program),
        WebSocketRoute("/train", studio.train),
    ]
    handlers: dict[Any, Any] = {
        HTTPException: on_http_error,
        RefusedError: on_refusal,
        ExerciseError: on_exercise_error,
        OSError: on_system_error,
        ClientDisconnect: on_failure,  # the client has disconnected and will not read the response
        Exception: on_failure,
    }
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=studio.lifespan)
    app.router.redirect_slashes = False
    return Guard(app, port, room or Room())


def error(status: int, message: str) -> Response:
    return Response(wire.write({"error": message}), status, media_type="application/json")


async def on_http_error(request: Request, failure: Any) -> Response:
    known = {404: "not found", 405: f"{request.method} is not allowed here"}
    return error(failure.status_code, known.get(failure.status_code, str(failure.detail)))


async def on_refusal(request: Request, failure: Any) -> Response:
    return error(failure.status, str(failure))


async def on_exercise_error(request: Request, failure: Any) -> Response:
    return await on_refusal(
        request, RefusedError(str(failure), 422)
    )  # a teacher may be editing the file


async def on_system_error(request: Request, failure: Any) -> Response:
    return await on_refusal(request, RefusedError(f"the operating system reported: {failure}"))


async def on_failure(request: Request, failure: Any) -> Response:
    return error(500, FAILED)  # the Guard prints the traceback


# --- files ---------------------------------------------------------------------------------------


async def static_named(request: Request) -> Response:
    return await static(request.path_params["name"], request)


async def static(name: str, request: Request) -> Response:
    found = files.read(name)
    if found is None:
        raise HTTPException(404)
    content, kind = found
    return Response(content, headers={"Content-Type": kind})


# --- requests ------------------------------------------------------------------------------------


def program(asked: schemas.Code) -> tuple[str, str, str]:
    """A Python program that reproduces a run."""
    return "run.py", "text/x-python", code.program(asked.config.config(), asked.epochs, asked.rates)


async def read_body(request: Request, schema: type[T]) -> T:
    """Parse the request.

    A slightly oversized body is read and discarded, because a browser reads the response only after
    sending the whole request; a much larger one is rejected at once.
    """
    body, size = b"", int(request.headers.get("content-length", 0))
    if size <= limits.THROWN_AWAY:
        size = 0
        async for part in request.stream():
            size += len(part)
            if size <= limits.BODY:
                body += part
            elif size > limits.THROWN_AWAY:
                break
    wire.check_size(size)
    return wire.read(body, schema)


def described(endpoint: Endpoint, schema: type | None) -> Endpoint:
    """Attach the request schema to an endpoint, for tests and fuzzers."""
    endpoint.schema = schema  # type: ignore[attr-defined]
    return endpoint


@asynccontextmanager
async def in_time() -> AsyncIterator[None]:
    """Limit the time of a request, and turn its errors into one line for the user."""
    try:
        async with asyncio.timeout(limits.SECONDS):
            yield
    except TimeoutError:
        raise RefusedError(f"the request took longer than {limits.SECONDS:g} s", 408) from None
    except RecursionError:
        raise RefusedError("the expression is nested too deeply") from None


class Studio:
    """State shared by requests and runs: the worker threads, the open sockets and the runs."""

    def __init__(self) -> None:
        self.runs: set[Run] = set()
        self.jobs: Jobs = Jobs()
        self.sockets: int = 0

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self.workers: ThreadPoolExecutor = ThreadPoolExecutor(limits.WORKERS, "chainrule-request")
        self.programs: ThreadPoolExecutor = ThreadPoolExecutor(limits.PROGRAMS, "chainrule-program")
        yield
        self.jobs.close()
        for run in self.runs:
            run.close()
        self.workers.shutdown(wait=False, cancel_futures=True)
        self.programs.shutdown(wait=False, cancel_futures=True)

    # --- endpoints -------------------------------------------------------------------------------

    def get(self, path: str, work: Callable[..., Any]) -> Route:
        return Route(path, self.answer(work))

    def post(self, path: str, work: Callable[..., Any], schema: type) -> Route:
        return Route(path, self.answer(work, schema), methods=["POST"])

    def put(self, path: str, work: Callable[..., Any], schema: type) -> Route:
        return Route(path, self.answer(work, schema), methods=["PUT"])

    def answer(self, work: Callable[..., Any], schema: type | None = None) -> Endpoint:
        """An endpoint that calls `work` in a thread, with the request and the path parameters."""

        async def endpoint(request: Request) -> Response:
            async with in_time():
                asked: list[Any] = [] if schema is None else [await read_body(request, schema)]
                call = functools.partial(work, *asked, **request.path_params)
                result = await asyncio.get_running_loop().run_in_executor(self.workers, call)
            if isinstance(result, dict):
                return Response(wire.write(result), media_type="application/json")
            name, kind, text = result
            headers = {"Content-Disposition": f'attachment; filename="{name}"'}
            return Response(text, media_type=kind, headers=headers)

        return described(endpoint, schema)

    def running(self, path: str, work: Callable[..., Any], schema: type[schemas.Program]) -> Route:
        """Run a learner's program until it ends or is stopped, or until the client disconnects."""

        async def endpoint(request: Request) -> Response:
            async with in_time():
                asked = await read_body(request, schema)
            stop = self.jobs.begin(asked.program)
            try:
                loop = asyncio.get_running_loop()
                job = loop.run_in_executor(self.programs, work, asked, stop.is_set)
                while not (await asyncio.wait([job], timeout=limits.LOOK))[0]:
                    if await request.is_disconnected():
                        stop.set()
                return Response(wire.write(await job), media_type="application/json")
            finally:
                stop.set()
                self.jobs.end(asked.program)

        return Route(path, described(endpoint, schema), methods=["POST"])

    def stop(self, asked: schemas.Program) -> dict[str, Any]:
        return {"stopped": self.jobs.stop(asked.program)}

    # --- runs ------------------------------------------------------------------------------------

    async def train(self, socket: WebSocket) -> None:
        """Serve a WebSocket: commands in, text messages and binary animation frames out, one run at a
        time.
        """
        if self.sockets >= limits.SOCKETS:
            text = f"{limits.SOCKETS} pages are open, which is the maximum: close one"
            await socket.send_denial_response(error(429, text))
            return
        self.sockets += 1
        try:
            with suppress(WebSocketDisconnect):  # the client may leave before it is accepted
                await socket.accept(PROTOCOL)
                await Session(self, socket).serve()
        finally:
            self.sockets -= 1


class Session:
    """One socket and its run."""

    def __init__(self, studio: Studio, socket: WebSocket) -> None:
        self.studio = studio
        self.socket: Any = socket
        self.outbox: Outbox = Outbox(asyncio.get_running_loop())
        self.run: Run | None = None
        self.pace: Pace = Pace()

    async def serve(self) -> None:
        sender = asyncio.create_task(self.send_all())
        try:
            while True:
                message = await self.socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                await self.pace.wait()
                try:
                    body = message.get("text") or message.get("bytes") or ""
                    await self.obey(wire.read(body, AnyCommand))  # type: ignore[arg-type]
                except RefusedError as refusal:
                    self.outbox.tell(type="error", message=str(refusal))
                except Exception:
                    log.exception("a message failed")
                    self.outbox.tell(type="error", message=FAILED)
        finally:
            sender.cancel()
            await self.end_run()

    async def send_all(self) -> None:
        # `serve` handles a closed socket.
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                item = await self.outbox.take()
                text = isinstance(item, str)
                await (self.socket.send_text if text else self.socket.send_bytes)(item)

    async def obey(self, command: AnyCommand) -> None:
        if isinstance(command, Start):
            await self.start(command)
        elif self.run is not None:  # there is no run after a rejected start
            self.run.send(command)

    async def start(self, command: Start) -> None:
        """Replace the current run with a new one."""
        await self.end_run()
        settings = wire.read(bytes(command.config), schemas.Settings, "config").config()
        self.studio.runs = {run for run in self.studio.runs if run.is_alive()}
        if len(self.studio.runs) >= limits.RUNS:
            raise RefusedError(
                f"{limits.RUNS} runs are in progress, which is the maximum: stop one first"
            )
        self.run = Run(settings, self.outbox)
        self.studio.runs.add(self.run)
        self.run.start()

    async def end_run(self) -> None:
        run, self.run = self.run, None
        if run is not None:
            run.close()
            while run.is_alive():
                await asyncio.sleep(0.005)
            self.studio.runs.discard(run)


class Pace:
    """Delays a client that sends too many messages per second."""

    def __init__(self) -> None:
        self.left: float = float(limits.BURST)
        self.last: float = time.monotonic()

    async def wait(self) -> None:
        now = time.monotonic()
        self.left = min(limits.BURST, self.left + (now - self.last) * limits.MESSAGES) - 1
        self.last = now
        if self.left < 0:
            await asyncio.sleep(-self.left / limits.MESSAGES)
