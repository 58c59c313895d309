"""The routes: what may be asked for, and who answers it.

Everything is behind the `Guard` of security.py. Work is done in threads with a limit of time.
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from ..learn.exercise import ExerciseError
from ..learn.progress import default_folder
from . import code, config, limits, pictures, wire
from .jobs import Jobs
from .lessons import Course
from .limits import RefusedError
from .patience import Room
from .runs import COMMANDS, Outbox, Run
from .security import PROTOCOL, SAFE, Guard

STATIC = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}


def build(port: int, folder: Path | None = None, room: Room | None = None) -> Guard:
    """The studio as an ASGI application that is served on a port of this machine.

    The course is kept in a folder, that of the terminal if none is given. The room is that of the
    server's connections.
    """
    studio, course = Studio(), Course(folder or default_folder())
    routes = [
        Route("/", functools.partial(static, "index.html")),
        Route("/enter", functools.partial(static, "enter.html")),
        Route("/static/ops.js", operations),
        Route("/static/{name}", static_named),
        Route("/api/picture", studio.answer(pictures.of_expression), methods=["POST"]),
        Route("/api/check", studio.answer(pictures.check), methods=["POST"]),
        Route("/api/sample", studio.answer(pictures.of_sample), methods=["POST"]),
        Route("/api/export", studio.answer(pictures.export), methods=["POST"]),
        Route("/api/code", studio.answer(program), methods=["POST"]),
        Route("/api/course", studio.answer(course.overview)),
        Route("/api/lesson/{number}", studio.answer(course.lesson)),
        Route("/api/work/{exercise}", studio.answer(course.work)),
        Route("/api/work/{exercise}", studio.answer(course.save), methods=["PUT"]),
        Route("/api/hint", studio.answer(course.hint), methods=["POST"]),
        Route("/api/solution", studio.answer(course.solution), methods=["POST"]),
        Route("/api/quiz", studio.answer(course.quiz), methods=["POST"]),
        Route("/api/question", studio.answer(course.question), methods=["POST"]),
        Route("/api/run", studio.running(course.run), methods=["POST"]),
        Route("/api/check-exercise", studio.running(course.check), methods=["POST"]),
        Route("/api/stop", studio.answer(studio.stop), methods=["POST"]),
        WebSocketRoute("/train", studio.train),
    ]
    handlers: dict[Any, Any] = {HTTPException: on_http_error, RefusedError: on_refusal}
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=studio.lifespan)
    app.router.redirect_slashes = False
    return Guard(app, port, room or Room())


def error(status: int, message: str) -> Response:
    return Response(wire.write({"error": message}), status, media_type="application/json")


async def on_http_error(request: Request, failure: Any) -> Response:
    known = {404: "there is nothing here", 405: f"{request.method} is not for this"}
    return error(failure.status_code, known.get(failure.status_code, str(failure.detail)))


async def on_refusal(request: Request, failure: Any) -> Response:
    return error(failure.status, str(failure))


# --- files ---------------------------------------------------------------------------------------


async def static_named(request: Request) -> Response:
    return await static(request.path_params["name"], request)


async def static(name: str, request: Request) -> Response:
    """One of the files of the package, by its exact name: no path is made from what was asked for."""
    files = {path.name: path for path in STATIC.glob("*") if path.is_file() and path.suffix in TYPES}
    if name not in files:
        raise HTTPException(404)
    return Response(files[name].read_bytes(), headers={"Content-Type": TYPES[files[name].suffix]})


async def operations(request: Request) -> Response:
    """The table of operations as a module, written by `viz/javascript.py`."""
    from ..viz.javascript import ops_module

    return Response(ops_module(), headers={"Content-Type": TYPES[".js"]})


# --- requests ------------------------------------------------------------------------------------


def program(body: dict[str, Any]) -> tuple[str, str, str]:
    """The program of a run, of so many epochs and with these changes of the rate."""
    settings = config.read(body.get("config"))
    epochs = config.whole("epochs", body.get("epochs", code.EPOCHS), 0, limits.STEPS)
    rates = []
    for pair in config.items("rates", body.get("rates") or [], limits.RATES + 1):
        if not isinstance(pair, list) or len(pair) != 2:
            raise RefusedError(f"rates must be pairs of an epoch and a rate, got {config.shown(pair)}")
        at = config.whole("the epoch of a rate", pair[0], 0, limits.STEPS)
        rates.append((at, config.learning_rate("rate", pair[1])))
    return "run.py", "text/x-python", code.program(settings, epochs, rates)


async def read_body(request: Request) -> dict[str, Any]:
    """What is asked for: the object in the body, and the names in the path."""
    if request.method in SAFE:
        return dict(request.path_params)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > limits.BODY:
            break
    return {**wire.read(body), **request.path_params}


def named(body: dict[str, Any]) -> str:
    """What the page calls a program."""
    name = config.text("program", body.get("program"))
    if not 0 < len(name) <= limits.PROGRAM_NAME:
        raise RefusedError(f"program must be a name of 1 to {limits.PROGRAM_NAME} characters")
    return name


class Studio:
    """What requests and runs share: threads to work in, and how many of each there are."""

    def __init__(self) -> None:
        self.runs: set[Run] = set()
        self.jobs = Jobs()
        self.sockets = 0

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self.workers = ThreadPoolExecutor(limits.WORKERS, "chainrule-request")
        self.programs = ThreadPoolExecutor(limits.PROGRAMS, "chainrule-program")
        yield
        self.jobs.close()
        for run in self.runs:
            run.close()
        self.workers.shutdown(wait=False, cancel_futures=True)
        self.programs.shutdown(wait=False, cancel_futures=True)

    def answer(self, work: Callable[[dict[str, Any]], Any]) -> Callable[[Request], Any]:
        """An endpoint: JSON in, and out come JSON or a file, or an error."""

        async def endpoint(request: Request) -> Response:
            try:
                async with asyncio.timeout(limits.SECONDS):
                    body = await read_body(request)
                    loop = asyncio.get_running_loop()
                    result = await loop.run_in_executor(self.workers, work, body)
            except TimeoutError:
                raise RefusedError(f"it took longer than {limits.SECONDS:g} s", 408) from None
            except ClientDisconnect:
                return Response(status_code=400)
            except RecursionError:
                raise RefusedError("the expression is nested too deeply") from None
            except ExerciseError as failure:  # a teacher may be at work on it
                raise RefusedError(str(failure), 422) from None
            except OSError as failure:
                raise RefusedError(f"the course cannot be kept: {failure}") from None
            if isinstance(result, dict):
                return Response(wire.write(result), media_type="application/json")
            name, kind, text = result
            headers = {"Content-Disposition": f'attachment; filename="{name}"'}
            return Response(text, media_type=kind, headers=headers)

        return endpoint

    # --- programs of the learner -----------------------------------------------------------------

    def running(self, work: Callable[[dict[str, Any], Callable[[], bool]], Any]) -> Any:
        """An endpoint that runs a program, until it ends, is stopped, or nobody waits any more."""

        async def endpoint(request: Request) -> Response:
            try:
                async with asyncio.timeout(limits.SECONDS):
                    body = await read_body(request)
            except TimeoutError:
                raise RefusedError(f"it took longer than {limits.SECONDS:g} s", 408) from None
            except ClientDisconnect:
                return Response(status_code=400)
            name = named(body)
            stop = self.jobs.begin(name)
            try:
                loop = asyncio.get_running_loop()
                job = loop.run_in_executor(self.programs, work, body, stop.is_set)
                while not (await asyncio.wait([job], timeout=limits.LOOK))[0]:
                    if await request.is_disconnected():
                        stop.set()
                return Response(wire.write(await job), media_type="application/json")
            except ExerciseError as failure:
                raise RefusedError(str(failure), 422) from None
            except OSError as failure:
                raise RefusedError(f"the program cannot be run: {failure}") from None
            finally:
                stop.set()
                self.jobs.end(name)

        return endpoint

    def stop(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"stopped": self.jobs.stop(named(body))}

    # --- runs ------------------------------------------------------------------------------------

    async def train(self, socket: WebSocket) -> None:
        """A socket: commands in, texts and frames out, one run at a time."""
        if self.sockets >= limits.SOCKETS:
            text = f"{limits.SOCKETS} pages are open, which is the most: close one"
            await socket.send_denial_response(error(429, text))
            return
        self.sockets += 1
        try:
            with suppress(WebSocketDisconnect):  # it may have gone before it was accepted
                await socket.accept(PROTOCOL)
                await Session(self, socket).serve()
        finally:
            self.sockets -= 1


class Session:
    """One socket and its run."""

    def __init__(self, studio: Studio, socket: WebSocket) -> None:
        self.studio, self.socket = studio, socket
        self.outbox = Outbox(asyncio.get_running_loop())
        self.run: Run | None = None
        self.pace = Pace()

    async def serve(self) -> None:
        sender = asyncio.create_task(self.send_all())
        try:
            while True:
                message = await self.socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                await self.pace.wait()
                try:
                    await self.obey(wire.read(message.get("text") or message.get("bytes") or ""))
                except RefusedError as refusal:
                    self.outbox.tell(type="error", message=str(refusal))
        finally:
            sender.cancel()
            await self.end_run()

    async def send_all(self) -> None:
        # Whoever closes the socket is heard of in `serve`.
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                item = await self.outbox.take()
                await (
                    self.socket.send_text(item)
                    if isinstance(item, str)
                    else self.socket.send_bytes(item)
                )

    async def obey(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "start":
            await self.start(message)
        elif kind not in COMMANDS:
            known = ", ".join(["start", *COMMANDS])
            raise RefusedError(f"type must be one of {known}, got {config.shown(kind)}")
        elif self.run is not None:  # after a start that was refused there is nobody to obey
            self.run.send(message)

    async def start(self, message: dict[str, Any]) -> None:
        """A new run in the place of the old."""
        await self.end_run()
        settings = config.read(message.get("config"))
        self.studio.runs = {run for run in self.studio.runs if run.is_alive()}
        if len(self.studio.runs) >= limits.RUNS:
            raise RefusedError(f"{limits.RUNS} runs are going on, which is the most: stop one first")
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
    """Lets a client wait who sends too many messages a second."""

    def __init__(self) -> None:
        self.left, self.last = float(limits.BURST), time.monotonic()

    async def wait(self) -> None:
        now = time.monotonic()
        self.left = min(limits.BURST, self.left + (now - self.last) * limits.MESSAGES) - 1
        self.last = now
        if self.left < 0:
            await asyncio.sleep(-self.left / limits.MESSAGES)
