"""Requests for files, pictures, checks, exports and samples, and all that must be rejected."""

import json
import math
import re
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from chainrule import nn
from chainrule.inspect.expressions import parse

from ..conftest import require
from ..near import near

require("httpx")
require("starlette")

from chainrule.studio import choices, limits, pictures, schemas
from chainrule.studio.limits import RefusedError
from chainrule.studio.server import files, security, wire
from chainrule.studio.trainer import code
from chainrule.studio.trainer.config import Config
from chainrule.support import graph
from chainrule.viz.web import javascript

from .client import MOONS, Studio, until
from .programs import executed

POSTS = [
    *("/api/picture", "/api/check", "/api/export", "/api/code", "/api/sample"),
    *("/api/run-blocks", "/api/run-exercise", "/api/check-exercise", "/api/stop", "/api/hint"),
    *("/api/solution", "/api/quiz", "/api/question"),
]
INJECTIONS = [
    *("<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"),
    *("<svg onload=alert(1)>", "<svg><style>*{}</style></svg>", '"><script>alert(1)</script>'),
    *("'><script>alert(1)</script>", "javascript:alert(1)", "a'-alert(1)-'", 'a"-alert(1)-"'),
    *("a</text><script>alert(1)</script>", "]]><script>alert(1)</script>", "<!--<script>", "-->"),
    *("&lt;script&gt;", "&#60;script&#62;", "\\u003cscript\\u003e", "${alert(1)}", "{{7*7}}"),
    *("`alert(1)`", "a; import os", "__import__('os').system('id')"),
    *("().__class__.__bases__[0].__subclasses__()", "a.__class__", "a['x']", "lambda: 0"),
    *("[x for x in ()]", "exec('1')", "eval('1')", "open('/etc/passwd').read()", "print(1)", "f'{a}'"),
    *("a if b else c", "a := 1", "a = 1", "a\nimport os", "a;b", "'a' * 10**9", "b'a'", "True", "None"),
    *("...", "1j", "a and b", "not a", "a < b", "a @ b", "a // b", "sin(*a)", "sin(x=a)", "sin()"),
    *("../../etc/passwd", "a\x00b", "\ud800", "\u202ea\u202c<b>", "'; DROP TABLE runs; --"),
    *("=cmd|' /C calc'!A0", "%0d%0aSet-Cookie: a=b", "a\r\nSet-Cookie: a=b"),
]


def picture(studio: Studio, expression: Any, **values: Any) -> Any:
    return studio.post("/api/picture", {"expression": expression, "values": values})


# --- files ---------------------------------------------------------------------------------------


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A fake package with files to serve in two folders, and secrets beside and above them."""
    package = tmp_path / "package"
    folder, other = package / "studio" / "static", package / "viz" / "web" / "static"
    for each in (folder / "pages", other / "graph"):
        each.mkdir(parents=True)
    (other / "graph" / "graph.js").write_text("export { graph };")
    (folder / "pages" / "index.html").write_text("<!DOCTYPE html><title>studio</title>")
    (folder / "pages" / "app.js").write_text("export {};")
    (folder / "style.css").write_text("body {}")
    (folder / "notes.txt").write_text("not to be served")
    for outside in (folder.parent, other.parent, package, tmp_path):
        (outside / "secret.js").write_text("secret")
    monkeypatch.setattr(files, "PACKAGE", package)
    return package


def test_serving_files(studio: Studio, page: Path) -> None:
    kinds = {
        "/": "text/html",
        "/static/studio/static/pages/app.js": "text/javascript",
        "/static/studio/static/style.css": "text/css",
        "/static/viz/web/static/graph/graph.js": "text/javascript",
    }
    for path, kind in kinds.items():
        answer = studio.request("GET", path)
        name = path.removeprefix("/static/").strip("/") or "studio/static/pages/index.html"
        assert answer.content == (page / name).read_bytes()
        assert answer.headers["content-type"] == f"{kind}; charset=utf-8"
        head = studio.request("HEAD", path)
        assert (head.status_code, head.content) == (200, b"")
    names = ("notes.txt", "pages", "pages/", "nothing.js", "", "app.js", "secret.js", "pages/APP.JS")
    more = ("pages/app.js/", "/pages/app.js", "pages//app.js", "style.css/pages/app.js")
    for name in (*names, *more):
        for folder in ("", "studio/static/", "viz/web/static/", "viz/web/static/graph/"):
            assert studio.request("GET", f"/static/{folder}{name}").status_code == 404


def test_only_pages_scripts_and_style_sheets_are_served(studio: Studio) -> None:
    sources = ("__init__.py", "_core.pyi", "py.typed", "studio/README.md", "studio/app.py", "cli.py")
    for name in (*sources, "learn/_exercises/write_mul/solution.py"):
        assert (files.PACKAGE / name).is_file()
        assert studio.request("GET", f"/static/{name}").status_code == 404


def test_the_pages_load_exactly_the_files_that_exist(studio: Studio) -> None:
    """Detects files that were moved and files that are no longer used."""
    needed = re.compile(
        r'(?:src|href)="([^"]+\.(?:js|css))"|^(?:import|\}) .*from "([^"]+)";$', re.MULTILINE
    )
    there = {
        path.relative_to(files.PACKAGE).as_posix()
        for folder in files.FOLDERS
        for path in (files.PACKAGE / folder).rglob("*")
        if path.is_file()
    }
    loaded: set[str] = set()
    texts = {path: studio.request("GET", path).text for path in ("/", "/enter")}
    texts["/entered"] = security.ENTERED
    while texts:
        address, text = texts.popitem()
        for found in needed.findall(text):
            path = urljoin(address, found[0] or found[1])
            if path not in loaded:
                answer = studio.request("GET", path)
                assert answer.status_code == 200, f"{address} needs {path}"
                loaded.add(path)
                texts[path] = answer.text
    names = {path.removeprefix("/static/") for path in loaded}
    assert names - set(files.GENERATED) == {name for name in there if not name.endswith(".html")}
    assert set(files.GENERATED) <= names


def test_operations_are_served_as_a_module(studio: Studio) -> None:
    answer = studio.request("GET", f"/static/{javascript.NAME}")
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "export const ops" in answer.text


ESCAPES = {
    "/": ("../secret.js", "/secret.js"),
    "/static/": (
        *("../secret.js", "../../app.py", "%2e%2e/secret.js", "..%2fsecret.js", "%2e%2e%2fsecret.js"),
        *("%252e%252e%252fsecret.js", "..%255csecret.js", "..\\secret.js", "..%5csecret.js"),
        *("....//secret.js", "/secret.js", "./../secret.js", "pages/../../secret.js"),
        *("%c0%ae%c0%ae/secret.js", "secret.js%00.js", "..;/secret.js", "secret.js", "studio/secret.js"),
        *("studio%2fsecret.js", "file:%2f%2f%2fetc%2fpasswd", "%2fetc%2fpasswd", "viz/web/secret.js"),
    ),
    "/static/viz/web/static/": ("../secret.js", "graph/..%2f..%2fsecret.js"),
    "/static/studio/static/": (
        *("../../viz/web/secret.js", "secret.js", "../secret.js", "../../secret.js"),
        *("pages/../../secret.js", "pages/../../../../secret.js", "%2e%2e/secret.js"),
        *("..%2f..%2fsecret.js", "pages/%2e%2e%2f%2e%2e%2fsecret.js", "%252e%252e%252fsecret.js"),
        *("..%5csecret.js", "/secret.js", "./../secret.js", "pages/..;/..;/secret.js"),
        *("%c0%ae%c0%ae/secret.js", "pages/app.js%00/../secret.js"),
    ),
}


@pytest.mark.parametrize("path", [base + path for base, paths in ESCAPES.items() for path in paths])
def test_paths_cannot_leave_the_folder(studio: Studio, page: Path, path: str) -> None:
    status, answer = studio.raw(studio.head(f"GET {path}"))
    assert status == 404
    assert b"secret" not in answer


# --- malformed, too large, too slow ----------------------------------------------------------------


def refused(studio: Studio, path: str, body: bytes | str) -> tuple[int, str]:
    answer = studio.request("POST", path, content=body)
    assert set(answer.json()) == {"error"}
    assert "\n" not in answer.json()["error"]
    return answer.status_code, answer.json()["error"]


@pytest.mark.parametrize("path", POSTS)
def test_rejected_bodies(studio: Studio, path: str) -> None:
    for body in (b"{", b"", b"a=1", b"{'a': 1}", b"\xef\xbb\xbf{}", '{"a": 1}'.encode("utf-16")):
        status, text = refused(studio, path, body)
        assert (status, text[:25]) == (400, "the request is not JSON: ")
    for body, name in ((b"[]", "array"), (b"1", "int"), (b'"a"', "str"), (b"null", "null")):
        text = f"the request: expected `object`, got `{name}`"
        assert refused(studio, path, body) == (400, text)
    text = "the request: object contains unknown field `unknown`"
    for value in (b"1", b"1e999", b"9" * 5000, b"[" * 100_000, b'{"a":' * 100_000):
        assert refused(studio, path, b'{"unknown": %s}' % value) == (400, text)
    assert refused(studio, path, b"[" * 100_000)[0] == 400


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "[" * 100_000])
def test_rejected_numbers(studio: Studio, value: str) -> None:
    body = b'{"expression": "a", "values": {"a": %s}}' % value.encode()
    status, text = refused(studio, "/api/picture", body)
    assert status == 400
    assert text.startswith(("the request is not JSON: JSON is malformed", "values[...]: "))


def test_a_body_that_is_too_large(studio: Studio) -> None:
    body = b'{"expression": "' + b"a" * limits.BODY + b'"}'
    large = (413, "the request is larger than 1,000,000 bytes")
    assert refused(studio, "/api/picture", body) == large
    pieces = (b" " * 100_000 for _ in range(12))
    answer = studio.request("POST", "/api/picture", content=pieces)
    assert (answer.status_code, answer.json()["error"]) == large


def test_a_failing_request_is_reported_without_details(
    studio: Studio, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(asked: Any) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(pictures, "read", broken)
    answer = picture(studio, "a")
    text = {"error": "the studio failed; see its terminal"}
    assert (answer.status_code, answer.json()) == (500, text)
    assert until(lambda: "a secret" in caplog.text)  # logged after the response was sent
    monkeypatch.undo()
    assert picture(studio, "a").status_code == 200


def test_a_request_that_takes_too_long(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SECONDS", 0.2)
    monkeypatch.setattr(pictures, "read", lambda body: time.sleep(0.6))
    answer = picture(studio, "a")
    assert (answer.status_code, answer.json()) == (408, {"error": "the request took longer than 0.2 s"})


def test_json_responses_are_safe_to_embed_in_html() -> None:
    text = wire.write({"a": [math.nan, math.inf, -math.inf, 1.5], "b": "</script>&ä"})
    assert text == '{"a":["NaN","Infinity","-Infinity",1.5],"b":"\\u003c/script\\u003e\\u0026\\u00e4"}'
    assert json.loads(text)["b"] == "</script>&ä"


# --- pictures ------------------------------------------------------------------------------------


def test_a_picture_of_an_expression(studio: Studio) -> None:
    found = picture(studio, "tanh(a*b + a**2)", a=2, b=-3).json()
    assert set(found) == {"picture", "layout", "rules", "names"}
    assert found["names"] == ["a", "b"]
    nodes = found["picture"]["nodes"]
    assert [node["label"] for node in nodes if node["kind"] == "leaf"] == ["a", "b"]
    (output,) = found["picture"]["outputs"]
    assert nodes[output]["data"] == math.tanh(-2.0)
    assert nodes[output]["grad"] == 1.0
    slope = 1 - math.tanh(-2.0) ** 2
    assert nodes[0]["grad"] == near(slope * (-3 + 4), ulps=4)
    assert len(found["rules"]) == len(found["picture"]["edges"])


def test_values_of_variables(studio: Studio) -> None:
    found = picture(studio, "a + b", b=3, other=5).json()
    assert [node["data"] for node in found["picture"]["nodes"]] == [1.0, 3.0, 4.0]
    assert picture(studio, "2 + 3").json()["picture"]["nodes"][0]["data"] == 5.0
    infinite = picture(studio, "1 / a", a=0).json()["picture"]
    assert infinite["nodes"][infinite["outputs"][0]]["data"] == "Infinity"
    for wrong in ("1", None, True, [1], {}, 10**400):
        answer = picture(studio, "a", a=wrong)
        assert answer.status_code == 400
        expected = r"values\[\.\.\.\]: (expected `float`, got `\w+`|number out of range)"
        assert re.fullmatch(expected, answer.json()["error"])
    answer = studio.post("/api/picture", {"expression": "a", "values": [1]})
    assert answer.json() == {"error": "values: expected `object`, got `array`"}


def test_expressions_are_limited(studio: Studio) -> None:
    assert picture(studio, 7).json() == {"error": "expression: expected `str`, got `int`"}
    message = "expression: expected `str` of length <= 2000, got 2,001 characters"
    assert picture(studio, "a+" * 1000 + "a").json() == {"error": message}
    names = "+".join(f"a{i}" for i in range(101))
    assert picture(studio, names).json() == {"error": "the expression has more than 100 variables"}
    assert picture(studio, "(" * 900 + "a" + ")" * 900).status_code == 400
    assert picture(studio, "-" * 1900 + "a").status_code in (200, 400, 422)


def test_a_picture_with_too_many_nodes(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "NODES", 5)
    answer = picture(studio, "a + b + c + d")
    assert (answer.status_code, answer.json()) == (422, {"error": "the graph has 7 nodes, more than 5"})
    assert picture(studio, "a + b + c").status_code == 200


@pytest.mark.parametrize("text", INJECTIONS)
def test_injections_do_no_harm(studio: Studio, text: str) -> None:
    """They are rejected or ignored, and no response contains what a browser could take for markup."""
    config = {**MOONS, "data": "csv", "csv": f"0,0,0\n0,1,{text}\n"}
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("/api/picture", {"expression": text}),
        ("/api/check", {"expression": text}),
        *(("/api/export", {"expression": text, "format": kind}) for kind in ("html", "svg", "python")),
        ("/api/export", {"expression": "a", "format": text}),
        ("/api/code", {"config": config}),
        ("/api/code", {"config": {**MOONS, "activation": text}}),
        ("/api/code", {"config": {**MOONS, text: 1}}),
        ("/api/code", {"config": {**MOONS, "seed": text}}),
    ]
    for path, body in bodies:
        answer = studio.request("POST", path, content=json.dumps(body))
        assert answer.status_code in (400, 422), (path, answer.text)
        assert answer.headers["content-type"] == "application/json"
        assert not set(answer.text) & set("<>&")
        assert set(answer.json()) == {"error"}
        assert "set-cookie" not in answer.headers
    odd = {"expression": "a", "values": {"a": 1, text: 2}}
    answer = studio.request("POST", "/api/picture", content=json.dumps(odd))
    if text == "\ud800":  # a lone surrogate is not JSON
        assert answer.status_code == 400
    else:
        assert answer.json()["names"] == ["a"]
    header = {**MOONS, "data": "csv", "csv": f'"{text}",y,c\n0,0,0\n0,1,1\n'}
    answer = studio.request("POST", "/api/code", content=json.dumps({"config": header}))
    assert answer.status_code == 200 or set(answer.json()) == {"error"}
    assert text not in answer.text


def test_there_are_at_least_fifty_injections() -> None:
    assert len(set(INJECTIONS)) >= 50


def test_exports_do_not_contain_comments(studio: Studio) -> None:
    for kind in ("html", "svg", "python"):
        body = {"expression": "a # <script>alert(1)</script>", "format": kind}
        answer = studio.post("/api/export", body)
        assert answer.status_code == 200
        assert "alert(1)" not in answer.text


def test_checking_gradients(studio: Studio) -> None:
    body = {"expression": "log(x) * sin(y)", "values": {"x": 1.5, "y": 2}}
    rows = studio.post("/api/check", body).json()["rows"]
    assert [row["name"] for row in rows] == ["x", "y"]
    assert all(row["agrees"] for row in rows)
    assert rows[0]["analytic"] == near(math.sin(2) / 1.5, ulps=4)
    assert rows[0]["numeric"] == near(math.sin(2) / 1.5, rel=1e-6)
    kink = studio.post("/api/check", {"expression": "relu(x)", "values": {"x": 0}}).json()
    assert "at a kink of 'relu'" in kink["notes"][0]
    assert studio.post("/api/check", {"expression": "2"}).json()["rows"] == []


# --- exports -------------------------------------------------------------------------------------


def test_exporting_an_expression(studio: Studio) -> None:
    kinds = {"html": "text/html", "svg": "image/svg+xml", "python": "text/x-python"}
    for kind, media in kinds.items():
        answer = studio.post("/api/export", {"expression": "a*b", "format": kind})
        assert answer.status_code == 200
        assert answer.headers["content-type"].partition(";")[0] == media
        ending = {"python": "py"}.get(kind, kind)
        assert answer.headers["content-disposition"] == f'attachment; filename="expression.{ending}"'
    wrong = studio.post("/api/export", {"expression": "a*b", "format": "exe"})
    assert wrong.json() == {"error": "format must be one of html, svg, python, got 'exe'"}


@pytest.mark.parametrize(
    "text",
    [
        *("tanh(a*b + a**2)", "a", "2 + 3", "1/0 * a", "7**7**7 * a", "(-8)**(1/3) + a"),
        *("9007199254740993 * 3 * a", "pi * a + e"),
        *("print + out + Value + math + __debug__ + out_ + chainrule", "sum(a, b, 3) + max(a, b)"),
        *("where(less(a, 2), a, b) / 3", "1e999 - a", "-a ** 2 - -3", "ä + µ", "tanh(1) / 0 + a"),
    ],
)
def test_the_exported_program_gives_the_same_numbers(text: str) -> None:
    asked = schemas.Expression(expression=text, values={"a": 1.25, "b": -0.5})
    expression, values = pictures.read(asked)
    result = pictures.evaluate(expression, values)
    result.backward()
    names = executed(code.expression_program(expression, values))
    assert repr(names["out"].data) == repr(result.data)
    leaves = {v.label: v.grad for v in graph.topological(result) if v.is_leaf and v.label}
    found = {v.label: v.grad for v in graph.topological(names["out"]) if v.is_leaf and v.label}
    assert repr(found) == repr(leaves)


def test_the_text_of_an_exported_program() -> None:
    text = code.expression_program(parse("tanh(a*b) + pi"), {"a": 2.0, "b": -3.0})
    assert text == (
        "from math import pi\n\nfrom chainrule import Value, tanh\n\n"
        "a = Value(2.0, label='a')\nb = Value(-3.0, label='b')\n"
        "out = tanh(a * b) + pi\nout.backward()\n"
        'print("out", out.data)\nprint("d out / d a", a.grad)\nprint("d out / d b", b.grad)\n'
    )


# --- requests about training runs ----------------------------------------------------------------


def test_exporting_the_program_of_a_run(studio: Studio) -> None:
    answer = studio.post("/api/code", {"config": MOONS, "epochs": 20, "rates": [[0, 0.1], [5, 0.01]]})
    assert answer.headers["content-type"].startswith("text/x-python")
    assert "lr=0.1)" in answer.text
    assert "rates = {5: 0.01}" in answer.text
    assert executed(answer.text)["history"].epochs == 20
    errors = {
        "the request: object missing required field `config`": {},
        "epochs: expected `int`, got `float`": {"config": {}, "epochs": 1.5},
        "epochs: expected `int` <= 10000000, got 10000001": {"config": {}, "epochs": 10_000_001},
        "rates[0]: expected `array`, got `int`": {"config": {}, "rates": [3]},
        "rates[0]: expected `array` of length 2, got 1 entries": {"config": {}, "rates": [[3]]},
        "rates[0][1]: expected `float` > 0.0, got -1": {"config": {}, "rates": [[1, -1]]},
    }
    for message, body in errors.items():
        assert studio.post("/api/code", body).json() == {"error": message}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"layers": [4] * 7}, "config.layers: expected `array` of length <= 6, got 7 entries"),
        ({"layers": [65]}, "config.layers[0]: expected `int` <= 64, got 65"),
        ({"layers": 4}, "config.layers: expected `array`, got `int`"),
        ({"samples": 2001}, "config.samples: expected `int` <= 2000, got 2001"),
        ({"noise": -1}, "config.noise: expected `float` >= 0.0, got -1"),
        ({"rate": 0}, "config.rate: expected `float` > 0.0, got 0"),
        ({"batch": 1.5}, "config.batch: expected `int`, got `float`"),
        ({"seed": -1}, "config.seed: expected `int` >= 0, got -1"),
        ({"seed": 2**32}, "config.seed: expected `int` <= 4294967295, got 4294967296"),
        ({"rates": 1}, "config: object contains unknown field `rates`"),
        ({"data": "points"}, "there are no points: add some, or choose a data set"),
        *(
            ({field: name}, f"config.{field} must be one of {known}")
            for field, name, known in (
                ("data", "iris", "xor, moons, circles, spirals, blobs, csv, points, got 'iris'"),
                ("loss", "nll", "binary_cross_entropy_with_logits, cross_entropy, mse, l1, "),
                ("optimizer", "lbfgs", "sgd, rmsprop, adagrad, adam, adamw, got "),
            )
        ),
        *(
            ({"data": "points", "points": [point]}, f"config.points[0]{message}")
            for point, message in (
                ([1, 2], ": expected `array` of length 3, got 2 e"),
                ([1, "2", 0], "[1]: expected `float`, got `str`"),
                ([1, 2, 10], "[2]: expected `int` <= 9, got 10"),
                ([1e7, 2, 0], "[0]: expected `float` <= 1000000.0"),
            )
        ),
        ({"data": "csv"}, "the table: the file is empty"),
        *(
            ({"data": "csv", "csv": text}, f"the table{message}")
            for text, message in (
                ("x,y,c\n1,2,0\n1,b,1", ", line 3, column 2: 'b' is not a number"),
                ("1,2\n3,4", " has 2 columns, expected 3: x, y and the class, as in 0.5,-1.2,1"),
                ("1,2,0\n1,2,0.5", ", line 2: the class must be a whole number"),
                ("1,2,-1\n", ", line 1: the class must be a whole number from 0"),
                ("1,2e6,0\n", ", line 1: 2e+06 is not between -1,000,000 and"),
                ("1,2,0\n" * 2001, " has 2,001 rows, more than 2,000"),
            )
        ),
        (
            {"data": "csv", "csv": "0,0,0\n0,1,1\n1,1,2"},
            "binary_cross_entropy_with_logits needs two classes, got 3: use cross_entropy",
        ),
    ],
)
def test_rejected_configs(studio: Studio, change: dict[str, Any], message: str) -> None:
    answer = studio.post("/api/code", {"config": {**MOONS, **change}})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(message)


def test_both_spellings_of_a_loss_give_the_same_program(studio: Studio) -> None:
    short, long = (
        studio.post("/api/code", {"config": {**MOONS, "loss": loss}}) for loss in ("mse", "mse_loss")
    )
    assert short.status_code == 200
    assert short.content == long.content


def test_long_messages_are_truncated() -> None:
    assert len(str(RefusedError("word " * 1000))) == limits.MESSAGE


def test_the_picture_of_a_samples_loss(studio: Studio) -> None:
    model = nn.MLP(2, [4, 1], "tanh", init="xavier", seed=3)
    parameters = [p.data for p in model.parameters()]
    config = {**MOONS, "seed": 0}
    body = {"config": config, "parameters": parameters, "sample": [0.5, -1], "target": 1, "every": True}
    found = studio.post("/api/sample", body).json()
    loss = nn.binary_cross_entropy_with_logits(model([0.5, -1.0]), 1)
    loss.backward()
    nodes = found["picture"]["nodes"]
    assert nodes[found["picture"]["outputs"][0]]["data"] == loss.data
    grads = {node["label"]: node["grad"] for node in nodes}
    assert {"x", "y"} < set(grads)
    for name, p in model.named_parameters():
        assert grads[name] == p.grad


def test_the_picture_of_a_sample_has_one_box_per_neuron(studio: Studio) -> None:
    model = nn.MLP(2, [8, 8, 1], "relu", init="xavier", seed=3)
    parameters = [p.data for p in model.parameters()]
    config = {**MOONS, "layers": [8, 8], "activation": "relu"}
    body = {"config": config, "parameters": parameters, "sample": [0.5, -1], "target": 1}
    found = studio.post("/api/sample", body).json()
    nodes = found["picture"]["nodes"]
    neurons = [node["label"] for node in nodes if node["kind"] == "group"]
    sizes = enumerate((8, 8, 1))
    assert neurons == [f"layers.{i}.neurons.{k}" for i, size in sizes for k in range(size)]
    assert len(nodes) <= 30
    assert [node["label"] for node in nodes if node["kind"] == "leaf"] == ["x", "y"]
    assert found["layout"]["height"] < 900


def test_rejected_samples(studio: Studio) -> None:
    parameters = [0.1] * 17
    good = {"config": MOONS, "parameters": parameters, "sample": [0, 0], "target": 0}
    assert studio.post("/api/sample", good).status_code == 200
    wrong: dict[str, dict[str, Any]] = {
        "the model has 17 parameters, got 16": {"parameters": parameters[1:]},
        "the model has 17 parameters, got 18": {"parameters": [*parameters, 1]},
        "sample: expected `array` of length 2, got 1 entries": {"sample": [1]},
        "parameters[0]: expected `float`, got `str`": {"parameters": ["a", *parameters[1:]]},
        "target must be a class from 0 to 1, got 2": {"target": 2},
        "target: expected `int` <= 9, got 10": {"target": 10},
        "sample: expected `array`, got `null`": {"sample": None},
    }
    for message, change in wrong.items():
        assert studio.post("/api/sample", {**good, **change}).json() == {"error": message}
    large = {**good, "config": {**MOONS, "layers": [64, 64]}, "parameters": [0.0] * 4417}
    answer = studio.post("/api/sample", large)
    assert answer.status_code == 422
    assert answer.json()["error"].endswith("nodes, more than 2,000")


def test_the_page_offers_only_what_the_server_accepts(studio: Studio) -> None:
    """Both use one schema, so names, limits and defaults are defined only once."""
    text = studio.request("GET", f"/static/{choices.NAME}").text
    found = {
        line.split()[2]: json.loads(line.partition(" = ")[2].rstrip(";"))
        for line in text.splitlines()
        if line.startswith("export const ")
    }
    assert found["DEFAULTS"] == json.loads(json.dumps(asdict(Config())))
    for data in found["DATA_SETS"]:
        samples = {"csv": "x,y,c\n0,0,0\n1,1,1\n", "points": [[0, 0, 1]]}
        config = {**found["DEFAULTS"], "data": data, **samples, "loss": "cross_entropy"}
        assert studio.post("/api/code", {"config": config}).status_code == 200, data
    for field, names in (("activation", "ACTIVATIONS"), ("loss", "LOSSES"), ("optimizer", "OPTIMIZERS")):
        for name in found[names]:
            config = {**found["DEFAULTS"], field: name}
            assert studio.post("/api/code", {"config": config}).status_code == 200, name
    script = (files.PACKAGE / "studio/static/training/settings.js").read_text()
    for name in ("moons", "huber", "adagrad", "leaky_relu"):
        assert name not in script
