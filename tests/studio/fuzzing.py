"""Sends a real server malformed requests for every route, and malformed messages of every type.

They are derived from the route table and the schemas, so new routes and types are covered too.
The same seed gives the same bytes. For a long run: `python -m tests.studio.fuzzing 10000`.
"""

import json
import random
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
from websockets.sync.client import ClientConnection

from chainrule.learn.exercise import exercises
from chainrule.studio import limits, schemas

from .client import Studio, entered

METHODS = (
    *("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
    *("OPTIONS", "TRACE", "CONNECT", "QUERY", "get"),
)
KINDS = (
    *("application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"),
    *("application/json; charset=utf-7", "application/json; charset=nothing", "", ";;;", "a" * 3000),
)
QUERIES = (
    *("?a=1", "?token=1&token=2", "?%", "?%00", "?%ff=%c0%ae", "?a[]=1&a[b]=2", "?" + "a" * 9000, "??"),
    "?;",
    *("/", "//", "/..", "/%2e%2e", "%00", "%ff", "/" + "9" * 5000, "#a"),
)
ENCODINGS = ("utf-16", "utf-32", "utf-7", "latin-1")


class Text(str):
    """JSON text that no Python value represents, sent verbatim."""


# Values that no field expects, including some that have broken parsers.
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, 5e-324, 2**31, 2**53 + 1, 2**63, 2**64, -(2**70)),
    *("", " ", "\x00", "a", "null", "NaN", "1", "0.1", "../../etc/passwd", "<b>&", "\u202e"),
    "\U0001f40d",
    *([], {}, [[]], [{}], {"": ""}, [None], {"a": {}}, [0] * 50, {"__class__": "x"}, {"type": "start"}),
    *map(Text, ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e-9999", "01", "1.", "+1")),
    *map(Text, ('"\\ud800"', '"\\udc00\\ud800"', '"\\uD83D"', '"\\u00"', '"\\x"', '"\t"', '"', "'a'")),
    *(Text("9" * n) for n in (20, 310, 4300, 4301, 20_000)),
    *(Text("-" + "9" * n) for n in (20, 4301)),
    *map(Text, ("0." + "1" * 5000, "1" + "0" * 400 + ".5", "1E+400", "truefalse", "")),
    *(Text("[" * n + "]" * n) for n in (9, 500, 5000)),
    *(Text('{"a":' * n + "1" + "}" * n) for n in (9, 500, 5000)),
    *("a" * 101, "9" * 5000, "1." + "1" * 5000, "(" * 1990, "-" * 1990 + "a", "a**" * 600 + "a"),
    "ä" * 2000,
)
LARGE: tuple[Any, ...] = ("x" * 250_000, [0] * 100_000, Text("[" * 100_000), {"a" * 1000: "b" * 100_000})


# --- values from schemas -------------------------------------------------------------------------


def valid(schema: Any, rng: random.Random) -> Any:
    """A value that a type accepts, except that it sometimes exceeds a bound by one."""
    if isinstance(schema, type) and issubclass(schema, msgspec.Struct):
        schema = msgspec.inspect.type_info(schema)
    kind = type(schema).__name__
    if kind == "StructType":
        tag = {} if schema.tag_field is None else {schema.tag_field: schema.tag}
        given = (each for each in schema.fields if each.required or rng.random() < 0.5)
        return {**tag, **{each.encode_name: of_field(each, rng) for each in given}}
    if kind in ("IntType", "FloatType"):
        low = next((x for x in (schema.ge, schema.gt) if x is not None), -1)
        high = next((x for x in (schema.le, schema.lt) if x is not None), 2**40)
        return rng.choice([low, high, low - 1, high + 1, 1, 2, 3, 10])
    if kind == "StrType":
        most = schema.max_length or 50
        return "a" * rng.choice([0, 1, 5, most, most + 1])
    if kind == "LiteralType":
        return rng.choice(schema.values)
    if kind == "TupleType":
        return [valid(item, rng) for item in schema.item_types]
    if kind == "VarTupleType":
        most = min(schema.max_length or 5, 5)
        return [valid(schema.item_type, rng) for _ in range(rng.randint(0, most))]
    if kind == "DictType":
        return {name: valid(schema.value_type, rng) for name in rng.sample("abxy", rng.randint(0, 3))}
    if kind == "UnionType":
        return valid(rng.choice(schema.types), rng)
    plain = {"BoolType": rng.random() < 0.5, "NoneType": None, "RawType": valid(schemas.Settings, rng)}
    return plain[kind]


def of_field(field: Any, rng: random.Random) -> Any:
    """A value for a field; often an existing name or expression, to reach the code that handles it."""
    known = {
        "expression": ["a*b", "tanh(a) / b", "1/0", "log(x)", "a +", "x" * 1999, "sum(a, b)"],
        "exercise": [e.name for e in exercises()[:3]],
        "key": ["1.1", "1.2", "2.1", "0.0", "1." + "1" * 90],
        "lesson": [1, 2, 15, 16],
    }
    if field.encode_name in known and rng.random() < 0.7:
        return rng.choice(known[field.encode_name])
    return valid(field.type, rng)


# --- mutations ------------------------------------------------------------------------------------


def mutated(thing: Any, rng: random.Random) -> Any:
    """Replace, remove, duplicate or extend one part of a value, at any depth."""
    if isinstance(thing, dict) and thing and rng.random() < 0.8:
        name = rng.choice(list(thing))
        how = rng.random()
        if how < 0.15:
            return {key: x for key, x in thing.items() if key != name}
        if how < 0.3:
            extra = rng.choice(["extra", "", "__proto__", "\x00", name + " ", "type"])
            return {**thing, extra: odd(rng)}
        return {**thing, name: mutated(thing[name], rng)}
    if isinstance(thing, list) and thing and rng.random() < 0.7:
        place = rng.randrange(len(thing))
        how = rng.random()
        if how < 0.2:
            return thing[:place] + thing[place + 1 :]
        if how < 0.4:
            return thing * rng.choice([2, 50])
        return [*thing[:place], mutated(thing[place], rng), *thing[place + 1 :]]
    return odd(rng)


def odd(rng: random.Random) -> Any:
    return rng.choice(LARGE if rng.random() < 0.002 else ODD)


def written(thing: Any) -> str:
    """Encode as JSON; `Text` is written verbatim."""
    if isinstance(thing, Text):
        return str(thing)
    if isinstance(thing, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{written(x)}" for key, x in thing.items()) + "}"
    if isinstance(thing, list):
        return "[" + ",".join(map(written, thing)) + "]"
    return json.dumps(thing)


def body(schema: Any, rng: random.Random) -> bytes:
    """A malformed request body, derived from a schema."""
    text = written(mutated(valid(schema, rng), rng))
    content = text.encode("utf-8", "surrogatepass")
    how = rng.random()
    if how < 0.04:
        return content[: rng.randrange(len(content) + 1)]
    if how < 0.08:
        place = rng.randrange(len(content) + 1)
        return content[:place] + rng.randbytes(rng.choice([1, 2, 8])) + content[place:]
    if how < 0.1:
        return text.encode(rng.choice(ENCODINGS), "replace")
    if how < 0.11:
        texts = [b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", content * 2, b"\xef\xbb\xbf" + content]
        return rng.choice(texts)
    return content


# --- requests ------------------------------------------------------------------------------------


def routes(guard: Any) -> Iterator[tuple[str, str, Any]]:
    """The method, path and schema of every route except the socket."""
    for route in guard.app.routes:
        schema = getattr(getattr(route, "endpoint", None), "schema", None)
        for method in sorted(getattr(route, "methods", None) or ()):
            yield method, route.path, schema
    yield "POST", "/enter", None


def request(studio: Studio, method: str, path: str, schema: Any, rng: random.Random) -> bytes:
    """The bytes of a malformed request to a route."""
    content = body(schema or schemas.Expression, rng)
    names = [
        *(*(e.name for e in exercises()[:2]), "1", "2", "99", "studio/static/pages/app.js"),
        *("studio/static/../app.py", "9" * 4301, "%00", "..", "%ED%A0%80"),
    ]
    for name in ("{name:path}", "{number}", "{exercise}"):
        path = path.replace(name, rng.choice(names))
    if rng.random() < 0.03:
        method = rng.choice(METHODS)
    if rng.random() < 0.05:
        path += rng.choice(QUERIES)
    if path.startswith("/api/work/") and method == "GET" and rng.random() < 0.5:
        content = b""
    headers: dict[str, Any] = {"Content-Length": len(content)}
    if rng.random() < 0.1:
        headers["Content-Type"] = rng.choice(KINDS)
    if rng.random() < 0.02:
        headers["Accept"] = rng.choice(["text/html", "*/*;q=a", "", "\xff"])
    if rng.random() < 0.01:
        del headers["Content-Length"]
        headers["Transfer-Encoding"] = "chunked"
        content = b"%x\r\n" % len(content) + content + b"\r\n0\r\n\r\n"
    return studio.head(f"{method} {path}", **headers) + b"\r\n" + content


class Asker:
    """Sends requests over one connection, and reconnects when the studio closes it."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.connection: socket.socket | None = None

    def status(self, request: bytes) -> int:
        """The status of the response; 0 if the connection was closed without one."""
        kept = self.connection is not None
        try:
            return self.answer(request)
        except OSError:
            self.close()
            if not kept:
                return 0
        return self.status(request)  # the studio may have closed the idle connection before

    def answer(self, request: bytes) -> int:
        if self.connection is None:
            self.connection = socket.create_connection(("127.0.0.1", self.studio.port), timeout=60)
        self.connection.sendall(request)
        found = b""
        while b"\r\n\r\n" not in found:
            found += self.more()
        head, _, rest = found.partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next((int(line[16:]) for line in lines if line.startswith(b"content-length: ")), 0)
        while len(rest) < length and not request.startswith(b"HEAD"):
            rest += self.more()
        if b"connection: close" in lines:
            self.close()
        return int(head.split(b" ", 2)[1])

    def more(self) -> bytes:
        part = self.connection.recv(1 << 20)
        if not part:
            raise ConnectionResetError("closed without an answer")
        return part

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection = None


def try_route(studio: Studio, method: str, path: str, schema: Any, count: int, seed: int) -> Any:
    """Count how often each status was returned; fails on a 5xx response or a dead server."""
    asker, statuses = Asker(studio), dict[int, int]()
    for i in range(count):
        asked = request(studio, method, path, schema, random.Random(f"{seed} {method} {path} {i}"))
        status = asker.status(asked)
        statuses[status] = statuses.get(status, 0) + 1
        assert status < 500, (status, asked[:3000])
    asker.close()
    assert studio.request("GET", "/api/course").status_code == 200
    return statuses


# --- messages ------------------------------------------------------------------------------------

PROBE = '{"type": "probe"}'


def try_message(studio: Studio, schema: Any, count: int, seed: int) -> int:
    """Count the messages that were rejected; fails if the socket stops answering."""
    refused = 0
    with studio.socket() as run:
        run.start()
        for i in range(count):
            rng = random.Random(f"{seed} {schema.__name__} {i}")
            content = body(schema, rng)
            raw = rng.random() < 0.5 or not is_text(content)
            run.connection.send(content if raw else content.decode())
            if i % 20 == 19 or i == count - 1:
                refused += answers(run.connection)
    return refused


def is_text(content: bytes) -> bool:
    """Whether this is UTF-8: RFC 6455 requires that any other text message closes the socket."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def answers(connection: ClientConnection) -> int:
    """Send an unknown command, and count the errors that arrive before its own."""
    connection.send(PROBE)
    count = 0
    while True:
        text = connection.recv(timeout=60)
        if isinstance(text, bytes) or (found := json.loads(text))["type"] != "error":
            continue
        assert "the studio failed" not in found["message"], found
        assert "the run failed" not in found["message"], found
        if found["message"].endswith("got 'probe'"):
            return count
        count += 1


def commands() -> tuple[Any, ...]:
    return get_args(schemas.AnyCommand)


def main() -> None:
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    limits.MESSAGES = limits.BURST = 1_000_000  # no rate limit
    with tempfile.TemporaryDirectory() as folder, entered(Path(folder)) as studio:
        for command in commands():
            refused = try_message(studio, command, count, seed)
            print(f"message {command.__name__}: {refused:,} of {count:,} rejected", flush=True)
        # Routes that read a body come first.
        for method, path, schema in sorted(routes(studio.guard), key=lambda route: route[2] is None):
            statuses = try_route(studio, method, path, schema, count, seed)
            print(f"{method} {path}: {dict(sorted(statuses.items()))}", flush=True)


if __name__ == "__main__":
    main()
