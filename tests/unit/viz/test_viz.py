"""Drawings show what the engine computed, in every format, for any labels."""

import importlib
import io
import json
import math
import random
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, custom_op, dot, draw, nn, optim
from chainrule import sum as total
from chainrule.nn.watching import watch
from chainrule.support import graph, numbers
from chainrule.viz import drawing, labels, picture
from chainrule.viz.formats import png, text
from chainrule.viz.formats.dot import dot as graphviz
from chainrule.viz.formats.html import page
from chainrule.viz.formats.svg import svg
from chainrule.viz.layout.folding import MOST, fold, nearest, notes
from chainrule.viz.layout.neurons import fold_neurons
from chainrule.viz.model import BY_HAND, CHANGED, CONSTANT, GROUP, Picture, roots_of, values_of

from ...conftest import require, require_program, without_sanitizers
from ...near import near
from .drawn import GRAPHS, expression, gradient, network, same, shares

ROOT = Path(__file__).resolve().parents[3]
NUMBERS_JS = ROOT / "src/chainrule/viz/web/static/page/numbers.js"
SVG = "{http://www.w3.org/2000/svg}"


def example() -> Any:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    y = (a * b + a**2).tanh()
    y.label = "y"
    return y


def chain(length: int) -> Any:
    x = out = Value(1.0, label="x")
    for _ in range(length):
        out = out + x
    return out


# --- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        *((None, "–"), (math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf"), (0.0, "0.0000")),
        *((-0.0, "0.0000"), (2.0, "2.0000"), (-0.9640275800758169, "-0.9640")),
        *((0.03125, "0.0313"), (-0.03125, "-0.0313")),  # ties, rounded away from zero as in JavaScript
        *((1e-3, "0.0010"), (9.9999e-4, "1.000e-3"), (99999.99999, "100000.0000"), (1e5, "100000.000")),
        *((-1234567.891, "-1234567.89"), (12345678.95, "12345678.9"), (1e8, "1.000e8")),
        *((1.23456e21, "1.235e21"), (-1.2345678e-7, "-1.235e-7"), (5e-324, "4.941e-324")),
    ],
)
def test_numbers(x: float | None, shown: str) -> None:
    assert numbers.format(x) == shown


def test_numbers_with_a_sign() -> None:
    assert [numbers.signed(x) for x in (1.5, -1.5, 0.0, None)] == ["+1.5000", "-1.5000", "0.0000", "–"]


def test_numbers_are_the_same_in_javascript() -> None:
    node = require_program("node")
    rng = random.Random(0)
    xs: list[float | None] = [None, 0.0, -0.0, math.nan, math.inf, -math.inf, 1e-3, 1e5, 99999.99999]
    xs += [struct.unpack("d", rng.randbytes(8))[0] for _ in range(4000)]
    xs += [rng.gauss(0, 1) * 10.0 ** rng.randint(-8, 9) for _ in range(4000)]
    xs += [k / 32 for k in range(-1000, 1000)]  # ties
    xs += [(k + 0.5) * 1e5 for k in range(1000, 2000)]  # ties with an exponent
    xs += [sign * k / 32 for k in range(10**7, 10**9, 999_937) for sign in (1, -1)]  # fewer decimals
    coded = [x if x is None or math.isfinite(x) else str(x).replace("inf", "Infinity") for x in xs]
    data = json.dumps([x.replace("nan", "NaN") if isinstance(x, str) else x for x in coded])
    code = f"{NUMBERS_JS.read_text()}\nimport fs from 'fs';\nconst xs = JSON.parse(fs.readFileSync(0));"
    code += "console.log(JSON.stringify(xs.map(decode).map((x) => [format(x), signed(x)])))"
    command = [node, "--input-type=module", "-e", code]
    options: Any = {"capture_output": True, "text": True, "env": without_sanitizers()}
    run = subprocess.run(command, input=data, check=True, **options)
    found = json.loads(run.stdout)
    assert len(found) > 10_000
    assert found == [[numbers.format(x), numbers.signed(x)] for x in xs]


# --- shown numbers match the computed ones -------------------------------------------------------


def hints(text: str) -> list[list[str]]:
    """The tooltip of each box."""
    boxes = ET.fromstring(text).iter(f"{SVG}g")
    return [(box.find(f"{SVG}title").text or "").splitlines() for box in boxes]  # type: ignore[union-attr]


def words(text: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(text).iter(f"{SVG}text")]


@pytest.mark.parametrize("seed", range(10))
def test_values_and_gradients_match_the_engine(seed: int) -> None:
    out = expression(60, seed)
    drawn = draw(out, fold=False)
    nodes = graph.topological(out)
    found = hints(drawn.svg)
    assert [lines[-2:] for lines in found] == [[f"data {v.data!r}", f"grad {v.grad!r}"] for v in nodes]
    shown = words(drawn.svg)
    for v in nodes:
        assert numbers.format(v.data) in shown
        assert numbers.format(v.grad) in shown
        assert f"{numbers.format(v.data)}  ({v.op or 'leaf'})" in str(drawn)


@pytest.mark.parametrize("seed", range(10))
def test_contributions_add_up_to_gradients(seed: int) -> None:
    out = expression(60, seed)
    drawn = picture(out)
    shares: dict[int, float] = {}
    for edge in drawn.edges:
        shares[edge.source] = shares.get(edge.source, 0.0) + edge.share
    for node in drawn.nodes[:-1]:
        assert shares[node.id] == near(node.grad, rel=1e-12)
    texts = words(svg(drawn))
    assert all(numbers.signed(edge.share) in texts for edge in drawn.edges)


# Every format, for every kind of graph, shows the numbers of the Values.


def values_in(out: Any) -> list[Any]:
    """The Values in the order of the picture's nodes."""
    return values_of([graph.topological(root, check=False) for root in roots_of(out)])


def shown_numbers(out: Any) -> list[tuple[str, str]]:
    """The value and gradient of every node as they must be shown, read from the Values."""
    known = any(gradient(root) != 0.0 for root in roots_of(out))
    pairs = ((value.data, gradient(value)) for value in values_in(out))
    return [(numbers.format(x), numbers.format(g if known or g != 0.0 else None)) for x, g in pairs]


def shown_shares(out: Any, drawn: Picture) -> list[float | None]:
    """The contribution through every edge, from the engine; None if it must not be shown."""
    found: list[float | None] = []
    for value, node in zip(values_in(out), drawn.nodes, strict=True):
        silent = node.changed or node.rule == BY_HAND or node.grad is None
        differentiable = [edge.partial is not None for edge in drawn.into(node.id)]
        if silent:
            found += [None] * len(value.inputs)
        elif gradient(value) == 0.0:  # separate tests cover when that is 0.0 and when it is NaN
            found += [edge.share for edge in drawn.into(node.id)]
        else:
            pairs = zip(shares(value) if value.inputs else [], differentiable, strict=True)
            found += [share if asked else None for share, asked in pairs]
    return found


@pytest.mark.parametrize("name", GRAPHS)
def test_every_number_in_svg_matches_python(name: str) -> None:
    out = GRAPHS[name]()
    drawn = draw(out, fold=False)
    expected = shown_numbers(out)
    kinds = [node.kind for node in drawn.picture.nodes]
    boxes = ET.fromstring(drawn.svg).iter(f"{SVG}g")
    texts = [[e.text for e in box.iter(f"{SVG}text") if e.get("class") != "word"] for box in boxes]
    for found, (data, grad), kind in zip(texts, expected, kinds, strict=True):
        assert found[-2 if kind != CONSTANT else -1 :] == ([data, grad] if kind != CONSTANT else [data])
    flowed = shown_shares(out, drawn.picture)
    for edge, share in zip(drawn.picture.edges, flowed, strict=True):
        assert same(edge.share, share), (edge, share)
    written = ET.fromstring(drawn.svg).iter(f"{SVG}text")
    plates = [element.text for element in written if element.get("class") == "share grad"]
    assert plates == [numbers.signed(share) for share in flowed if share is not None]


@pytest.mark.parametrize("name", GRAPHS)
def test_every_number_in_graphviz_and_text_matches_python(name: str) -> None:
    out = GRAPHS[name]()
    drawn = draw(out, fold=False)
    expected = shown_numbers(out)
    lines = graphviz(drawn.picture).splitlines()
    boxes = [line for line in lines if re.match(r"  n\d+ \[label", line)]
    edges = [line for line in lines if re.match(r"  n\d+ -> n\d+", line)]
    for line, node, (data, grad) in zip(boxes, drawn.picture.nodes, expected, strict=True):
        number = f'label="{data}"' if node.kind == CONSTANT else rf"\ndata {data}\ngrad {grad}"
        assert number in line
        assert (CHANGED in line) == node.changed
    for line, share in zip(edges, shown_shares(out, drawn.picture), strict=True):
        assert ("label" in line) == (share is not None)
        assert share is None or f'label="{numbers.signed(share)}"' in line
    stream = io.StringIO()
    text.show(drawn.picture, stream)
    assert stream.getvalue() == f"{drawn}\n"
    told = {
        f"{data}  ({labels.kind_of(node)})" + ("" if node.kind == CONSTANT else f"  grad {grad}")
        for node, (data, grad) in zip(drawn.picture.nodes, expected, strict=True)
    }
    found = set()
    for line in str(drawn).splitlines():
        match = re.search(r"([-\w.–]+  \(.*?\)(  grad [-\w.–]+)?)(  as above)?", line)
        assert match, line
        if not match[3]:
            found.add(match[1])
    assert found == told


def test_an_unselected_edge_contributes_zero() -> None:
    """Even where the gradient is infinite: as in backward, 0 × inf does not make it NaN."""
    out = GRAPHS["untaken, infinite gradient"]()
    drawn = picture(out)
    assert [edge.share for edge in drawn.into(drawn.outputs[0])] == [None, math.inf, 0.0]
    assert [node.grad for node in drawn.nodes if node.label == "b"] == [0.0]


def test_an_edge_that_no_gradient_reaches_contributes_zero() -> None:
    """Its slope may be infinite. If a gradient of 0 reaches it, it contributes NaN, as in backward."""
    unreached, x = GRAPHS["untaken"](), Value(0.0, label="x")
    reached = x.sqrt() ** 2
    reached.backward()
    edges = {unreached: 0.0, reached: math.nan}
    for out, share in edges.items():
        drawn = picture(out)
        (edge,) = (e for e in drawn.edges if drawn.nodes[e.target].op == "sqrt")
        assert edge.partial == math.inf
        assert same(edge.share, share)
    assert math.isnan(x.grad)


def test_contributions_below_a_hand_written_operation() -> None:
    """Its own contributions are not known, but those below it are."""
    out = GRAPHS["by hand, called cube"]()
    drawn = picture(out)
    ends = ((edge, drawn.nodes[edge.source], drawn.nodes[edge.target]) for edge in drawn.edges)
    below = [
        e.share for e, a, end in ends if (end.label, end.op) == ("", "mul") and a.label in ("a", "b")
    ]
    assert below == [3.0 * 36.0 * 0.5 * 3.0, 3.0 * 36.0 * 0.5 * 2.0]


@pytest.mark.parametrize("seed", range(5))
def test_contributions_in_folded_pictures_add_up_as_in_backward(seed: int) -> None:
    """The gradients that leave a box through its outputs equal those that arrive."""
    for out in (expression(150, seed), network(2, 6, 5, 1, samples=3)[0]):
        whole = picture(out)
        folded = fold(whole)
        assert any(node.kind == GROUP for node in folded.nodes)
        grads = {(node.data, node.grad) for node in whole.nodes}
        for node in folded.nodes:
            if node.data is None or node.kind == CONSTANT:
                continue
            assert (node.data, node.grad) in grads
            arriving = [edge.share for edge in folded.edges if edge.source == node.id]
            if arriving and node.grad is not None and None not in arriving:
                added = math.fsum(x for x in arriving if x is not None)
                size = math.fsum(abs(x) for x in arriving if x is not None)
                assert abs(added - node.grad) <= 1e-14 * size


def test_contributions_that_cancel_in_a_folded_picture() -> None:
    """An edge that stands for many shows the gradient from backward, not a more accurate sum."""
    a = Value(1.0, label="a")
    b = a * 1.0
    out = total([b * x for x in (1e16, 1.0, -1e16, 1.0)] * 20).tanh()
    out.backward()
    folded = fold(picture(out), most=5)
    (edge,) = (e for e in folded.edges if folded.nodes[e.source].label.startswith("a") or e.source == 0)
    (source,) = (node for node in folded.nodes if node.id == edge.source)
    assert edge.share == source.grad


def test_the_page_of_a_folded_picture_says_that_it_is_folded() -> None:
    loss, model = network(3, 4, 4, 1, samples=2)
    folded = draw(loss, fold=True, names=model)
    whole = draw(loss, fold=False, names=model)
    assert "<h1>A folded graph</h1>" in page(folded.picture)
    assert "<h1>Step through the graph</h1>" in page(whole.picture)
    assert "None" not in page(folded.picture).partition("<noscript>")[2].partition("</noscript>")[0]


def changed(drawn: Picture) -> list[str]:
    """The results marked as out of date; only their edges and those of constants lack a contribution."""
    for edge in drawn.edges:
        hidden = drawn.nodes[edge.target].changed or drawn.nodes[edge.source].kind == "constant"
        assert (edge.share is None) == (edge.partial is None) == hidden
    return [node.label or node.op for node in drawn.nodes if node.changed]


def test_outdated_contributions_are_not_shown() -> None:
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    y = a * b + 1
    y.backward()
    assert changed(picture(y)) == []
    a.data = 10
    drawn = draw(y)
    assert changed(drawn.picture) == ["mul"]
    assert "+10" not in drawn.svg
    assert "1 box is out of date: its contributions are unknown" in words(drawn.svg)
    assert "├─ 6.0000  (mul)  grad 1.0000  out of date" in str(drawn)
    assert r"data 6.0000\ngrad 1.0000\nout of date" in graphviz(drawn.picture)
    assert "<td>×(a, b), out of date</td>" in page(drawn.picture)
    y.forward()
    y.backward(reset=True)
    assert changed(picture(y)) == []


def test_overwritten_or_separately_recomputed_results_are_marked() -> None:
    a = Value(0.5, label="a")
    first, other = a.exp(), a.cos()
    middle = first.tanh()
    y = middle * 2 + other
    y.backward()
    middle.data = 0.25
    assert changed(picture(y)) == ["tanh", "mul"]
    a.data = 1.0
    middle.forward()
    assert changed(picture(y)) == ["exp", "tanh", "mul", "cos"]
    y.forward()
    y.data = 3.0
    assert changed(picture(y)) == ["add"]


@pytest.mark.parametrize("fold", [True, False])
def test_a_loss_after_an_optimizer_step(fold: bool) -> None:
    model = nn.MLP(2, [4, 1])
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loss = (model([0.5, -1.0]) - 1) ** 2 + model([1.0, 2.0]) ** 2
    loss.backward()
    before = picture(loss)
    optimizer.step()
    after = draw(loss, fold=fold, names=model)
    assert "out of date" in str(after)
    assert "contributions are unknown" in after.svg
    if not fold:
        for old, new in zip(before.edges, after.picture.edges, strict=True):
            assert new.share in (None, old.share)
        assert any(edge.share for edge in after.picture.edges)


@pytest.mark.parametrize("number", [np.float32(1.5), np.int64(3), 3, True])
def test_partials_of_any_type(number: Any) -> None:
    out = custom_op("mine", lambda x: x, lambda x, out: number)(Value(2.0))
    out.backward()
    (edge,) = json.loads(picture(out).json())["edges"]
    assert edge["partial"] == edge["share"] == float(number)
    assert numbers.signed(float(number)) in words(draw(out).svg)


def test_non_finite_numbers() -> None:
    x = Value(-1.0, label="x")
    out = x.log() + (x * 1e308 * 1e10)
    out.backward()
    drawn = draw(out)
    assert {"nan", "-inf", "inf"} <= {word.lstrip("+") for word in words(drawn.svg)}
    assert "nan  (add)" in str(drawn)
    assert '"NaN"' in drawn.picture.json()
    json.loads(drawn.picture.json(), parse_constant=lambda name: pytest.fail(name))


def test_several_outputs() -> None:
    a = Value(2.0, label="a")
    drawn = draw([a * 3, a.exp()])
    assert len(drawn.picture.outputs) == 2
    assert drawn.svg.count(" output") == 2
    assert len([line for line in str(drawn).splitlines() if not line.startswith(("├", "└"))]) == 2


def test_drawing_errors() -> None:
    for wrong in (1.0, [], [1.0], "abc"):
        with pytest.raises(TypeError, match="expected a Value, or a list of Values, got"):
            draw(wrong)
    with pytest.raises(ValueError, match="theme must be 'light', 'dark' or None, got 'blue'"):
        draw(Value(1.0), theme="blue")
    out = Value(1.0) * 2
    out.backward(retain_graph=False)
    with pytest.raises(chainrule.GraphFreedError):
        draw(out)


# --- labels --------------------------------------------------------------------------------------

HOSTILE = [
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</title><b>", "</svg>", "<!--"),
    *("-->", "]]>", "<![CDATA[", "&amp;", "&lt;", "&#0;", "&", "<", ">", '"', "'", "`", "\\", "\\N"),
    *("\\n", '\\"', '"]; n0 -> n1 [label="', "}", "{", "}</style>", "@import 'x'", "%s %d {0} {x}"),
    *("\x00", "\x07\x08", "\x1b[31mred", "\x1b]0;title\x07", "\x9b31m", "a\nb", "a\r\nb", "a\tb"),
    *("\u2028line", "\u202eright to left", "\u2066isolate", "\u200bzero width", "\ufeff", "\uffff"),
    *("e\u0301", "\u05d0\u05d1", "字" * 50, "👩\u200d🚀", "\ue000", "a" * 5000, " ", "=", "[1]", "─└"),
    *("javascript:alert(1)", "${x}", "{{x}}", "<?xml?>", "<!DOCTYPE x>", "\u0600"),
]


@pytest.mark.parametrize("label", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_labels(label: str) -> None:
    assert len(HOSTILE) >= 50
    a = Value(2.0, label=label)
    out = a * 3
    out.label = label
    plain = draw(Value(2.0, label="a") * 3, title="b")
    drawn = draw(out, title=label)
    # As XML: the same elements, and the label is text.
    elements = [element.tag for element in ET.fromstring(drawn.svg).iter()]
    assert elements == [element.tag for element in ET.fromstring(plain.svg).iter()]
    cleaned = labels.clean(label)
    assert any(line[0].startswith(f"{cleaned} ") for line in hints(drawn.svg))
    assert labels.shorten(cleaned) in words(drawn.svg)
    # As text: the same number of lines, without control characters.
    assert len(str(drawn).splitlines()) == 3
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", str(drawn))
    # As Graphviz: strings are closed, and a label appears only in strings.
    string = re.compile(r'"(?:[^"\\\n]|\\.)*"')
    assert string.sub("S", graphviz(drawn.picture)) == string.sub("S", graphviz(plain.picture))


def test_a_lone_surrogate_in_a_label() -> None:
    """A str can hold a lone surrogate; a file cannot."""
    try:
        a = Value(1.0, label="\ud800")
    except UnicodeError:
        pytest.skip("this core does not accept such a label")
    drawn = draw(a, title="\udfff")
    assert "\ufffd" in drawn.svg
    for written in (drawn.svg, str(drawn), graphviz(drawn.picture), page(drawn.picture)):
        written.encode()
    assert "<h1>\ufffd</h1>" in page(drawn.picture)
    assert "\\ud" not in page(drawn.picture).partition('id="data">')[2].partition("</script>")[0]


def test_long_names_are_shortened() -> None:
    assert labels.shorten("abc", 3) == "abc"
    assert labels.shorten("abcd", 3) == "ab…"
    assert labels.columns(labels.shorten("字" * 50)) <= labels.LONGEST


# --- SVG -----------------------------------------------------------------------------------------


def test_svg_for_screen_readers() -> None:
    y = example()
    y.backward()
    root = ET.fromstring(draw(y, title="my graph").svg)
    assert root.get("role") == "img"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert title.text == "my graph"
    assert desc.text == (
        "7 nodes from left to right. Output y = tanh: data -0.9640, grad 1.0000. "
        "Leaf a: data 2.0000, grad 0.0707. Leaf b: data -3.0000, grad 0.1413."
    )
    assert "The graph of y = tanh, with values and gradients" in draw(y).svg


def test_themes() -> None:
    y = example()
    auto, light, dark = draw(y).svg, draw(y, theme="light").svg, draw(y, theme="dark").svg
    assert "prefers-color-scheme:dark" in auto
    assert "prefers-color-scheme" not in light + dark
    assert "#0d1117" in dark
    assert "#0d1117" not in light


def test_kinds_differ_without_colour() -> None:
    """They differ by corner radius, dashes, a second card and line width."""
    drawn = draw(network(2, 20, 1)[0], fold=True)
    assert {node.kind for node in drawn.picture.nodes} >= {"leaf", "constant", "operation", "group"}
    assert "stroke-dasharray" in re.sub(r"\.still\{[^}]*\}", "", drawn.svg)
    leaf, operation = (
        re.search(f'class="box {k}.*rx="([^"]+)"', drawn.svg) for k in ("leaf", "operation")
    )
    assert leaf[1] != operation[1]
    assert drawn.svg.count('class="box group') == 2 * sum(n.kind == GROUP for n in drawn.picture.nodes)


def test_style_rules_apply_only_to_the_picture() -> None:
    """In a page, a rule for `text` must not affect other pictures."""
    style = re.search("<style>(.*)</style>", draw(example()).svg)
    assert style
    rules = re.sub(r"@media \([^)]*\)\{(.*)\}", r"\1", style[1])
    for selector in re.findall(r"([^{}]+)\{[^}]*\}", rules):
        assert selector.startswith(".chainrule")


def test_boxes_with_many_arguments_show_no_contributions() -> None:
    few, many = total([Value(1.0) for _ in range(12)]), total([Value(1.0) for _ in range(13)])
    few.backward()
    many.backward()
    assert "+1.0000" in words(draw(few).svg)
    assert "+1.0000" not in words(draw(many).svg)


# --- the text tree -------------------------------------------------------------------------------


def test_a_result_used_twice_is_printed_once() -> None:
    a = Value(2.0, label="a")
    b = a * 3
    out = b * b + b.exp()
    out.backward()
    assert str(draw(out)).splitlines() == [
        "439.4288  (add)  grad 1.0000",
        "├─ 36.0000  (mul)  grad 1.0000",
        "│  ├─ 6.0000  (mul)  grad 415.4288  [1]",
        "│  │  ├─ a = 2.0000  (leaf)  grad 1246.2864",
        "│  │  └─ 3.0000  (constant)",
        "│  └─ [1] 6.0000  (mul)  as above",
        "└─ 403.4288  (exp)  grad 1.0000",
        "   └─ [1] 6.0000  (mul)  as above",
    ]


def test_the_tree_is_limited() -> None:
    lines = str(draw(chain(100), fold=False)).splitlines()
    assert len(lines) == 2 * text.DEPTH + 1
    assert lines[-1] == "60 of 101 nodes are not shown: at most 40 levels and 400 lines"
    wide = str(draw(total([Value(float(i)) for i in range(1000)]), fold=False)).splitlines()
    assert len(wide) == text.LINES + 1


class Terminal(io.StringIO):
    def __init__(self, encoding: str = "utf-8", terminal: bool = True) -> None:
        super().__init__()
        self.name, self.terminal = encoding, terminal

    encoding = property(lambda self: self.name)  # type: ignore[assignment]

    def isatty(self) -> bool:
        return self.terminal


def shown(stream: Terminal) -> str:
    text.show(picture(example()), stream)
    return stream.getvalue()


def test_colours_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    assert "\033[1my\033[0m" in shown(Terminal())
    assert "\033" not in shown(Terminal(terminal=False))
    monkeypatch.setenv("TERM", "dumb")
    assert "\033" not in shown(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033" not in shown(Terminal())
    monkeypatch.setenv("COLUMNS", "20")
    assert max(map(len, shown(Terminal()).splitlines())) == 20


def test_a_terminal_without_unicode() -> None:
    assert shown(Terminal("ascii", False)).splitlines() == [
        "y = -0.9640  (tanh)  grad -",
        "`- -2.0000  (add)  grad -",
        "   |- -6.0000  (mul)  grad -",
        "   |  |- a = 2.0000  (leaf)  grad -",
        "   |  `- b = -3.0000  (leaf)  grad -",
        "   `- 4.0000  (pow)  grad -",
        "      |- a = 2.0000  (leaf)  grad -",
        "      `- 2.0000  (constant)",
    ]


# --- Graphviz ------------------------------------------------------------------------------------


def test_graphviz() -> None:
    y = example()
    y.backward()
    lines = graphviz(draw(y).picture).splitlines()
    assert lines[:2] == ["digraph {", "  rankdir=LR"]
    assert '  n0 [label="a\\ndata 2.0000\\ngrad 0.0707", ' in "\n".join(lines)
    assert '  n0 -> n2 [label="-0.2120"]' in lines
    assert lines[-1] == "}"
    if shutil.which("dot"):
        source = "\n".join(lines).encode()
        subprocess.run(["dot", "-Tsvg"], input=source, check=True, capture_output=True)


# --- folding -------------------------------------------------------------------------------------


def count(drawn: Picture) -> int:
    return sum(node.count for node in drawn.nodes)


def assert_is_a_picture(drawn: Picture) -> None:
    """Nodes are numbered in order, after their inputs, and edges match the nodes."""
    assert [node.id for node in drawn.nodes] == list(range(len(drawn.nodes)))
    assert [edge.id for edge in drawn.edges] == list(range(len(drawn.edges)))
    for node in drawn.nodes:
        assert all(i < node.id for i in node.inputs)
        assert [edge.source for edge in drawn.into(node.id)] == list(node.inputs)
        assert [edge.slot for edge in drawn.into(node.id)] == list(range(len(node.inputs)))


@pytest.mark.parametrize("most", [2, 10, 40])
@pytest.mark.parametrize("seed", range(6))
def test_folding_keeps_every_node(seed: int, most: int) -> None:
    whole = picture(expression(200, seed))
    drawn = fold(whole, most)
    assert len(drawn.nodes) <= most
    assert count(drawn) == 200
    assert_is_a_picture(drawn)
    output = drawn.nodes[drawn.outputs[0]]
    assert (output.data, output.grad) == (whole.nodes[-1].data, 1.0)


def test_a_small_picture_is_not_folded() -> None:
    whole = picture(expression(50))
    assert fold(whole, 50) is whole
    assert notes(whole) == []


def test_folding_finds_layers() -> None:
    loss, model = network(4, 16, 16, 1)
    drawn = draw(loss, names=model).picture
    groups = [(node.label, node.count) for node in drawn.nodes if node.kind == GROUP]
    assert ("layers.0.neurons: 16 × tanh(dot + ·)", 16 * (3 + 4 + 4 + 1)) in groups
    assert ("layers.1.neurons: 16 × tanh(dot + ·)", 16 * (3 + 16 + 1)) in groups
    assert len(drawn.nodes) < 15
    assert notes(drawn) == [f"{count(drawn):,} nodes, folded into {len(drawn.nodes)} boxes"]
    assert notes(drawn)[0] in words(svg(drawn))


def test_folding_finds_samples() -> None:
    loss, _ = network(2, 8, 1, samples=100)
    whole = picture(total([loss]))
    drawn = fold(whole, 20)
    assert count(drawn) == len(whole.nodes)
    assert any("8 × tanh(dot + ·)" in node.label for node in drawn.nodes)


def test_a_group_with_one_result_shows_its_numbers() -> None:
    """The contributions through its outgoing edges add up to its gradient."""
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    inner = (a * 2 + 1).tanh() * b.sin()
    inner.label = "h"
    out = inner * inner + inner.exp()
    out.backward()
    drawn = fold(picture(out), 4)
    (group,) = (node for node in drawn.nodes if node.kind == GROUP)
    assert group.label == "h = tanh((· × ·) + ·) × sin(·)"
    assert (group.data, group.grad) == (inner.data, inner.grad)
    shares = [edge.share for edge in drawn.edges if edge.source == group.id]
    assert sum(share or 0.0 for share in shares) == near(inner.grad, ulps=4)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_neuron_boxes_show_the_engines_numbers(activation: str) -> None:
    """Values and gradients of boxes; slopes and contributions of incoming edges."""
    model = nn.MLP(2, [3, 2, 1], activation, seed=4)
    for i, p in enumerate(model.parameters()):
        p.data += 0.1 * (i % 3)
    x = [Value(0.7, label="x"), Value(-1.2, label="y")]
    output, outputs = watch(model.layers, lambda: model(x))
    loss = (output - 3.0) ** 2
    loss.backward()
    neurons = {
        f"layers.{i}.neurons.{k}": (model.layers[i].neurons[k], output)
        for i, rows in enumerate(outputs)
        for k, output in enumerate(rows[-1])
    }
    places = {value: i for i, value in enumerate(graph.topological(loss))}
    ends = {places[output]: name for name, (_, output) in neurons.items()}
    whole = picture(loss, names={p: name for name, p in model.named_parameters()})
    drawn = fold_neurons(whole, ends)
    boxes = {node.label: node for node in drawn.nodes if node.kind == GROUP}
    assert list(boxes) == list(neurons)
    for name, (neuron, output) in neurons.items():
        box, inside = boxes[name], boxes[name].inside
        assert (box.data, box.grad) == (output.data, output.grad)
        assert box.count == len(inside.nodes) - len(box.inputs)
        found = {edge.source: edge for edge in drawn.edges if edge.target == box.id}
        assert tuple(found) == box.inputs
        arguments = [places[v] for v in x] if name.startswith("layers.0") else ends
        assert len(found) == len(neuron.w) <= len(arguments)
        # worked out by hand: the slope of the activation times the weight
        if activation == "relu" and not name.startswith("layers.2"):
            slope = 1.0 if output.data > 0.0 else 0.0
        else:
            slope = 1.0 - output.data**2 if not name.startswith("layers.2") else 1.0
        for w, source in zip(neuron.w, box.inputs, strict=True):
            assert found[source].partial == near(slope * w.data, rel=1e-14)
            assert found[source].share == near(output.grad * slope * w.data, rel=1e-14)
    for node in drawn.nodes:
        shares = [edge.share for edge in drawn.edges if edge.source == node.id]
        if shares:
            assert sum(share or 0.0 for share in shares) == near(node.grad or 0.0, rel=1e-13)


def test_exponents_are_part_of_the_structure() -> None:
    xs = [Value(float(i)) for i in range(20)]
    drawn = fold(picture(total([x**2 for x in xs[:10]] + [x**3 for x in xs[10:]])), 10)
    found = {node.label for node in drawn.nodes if node.kind == GROUP}
    assert found == {"10 × (· ** 2)", "10 × (· ** 3)"}


def test_large_graphs_are_folded_automatically() -> None:
    out = expression(400)
    assert len(draw(out).picture.nodes) <= MOST
    assert len(draw(out, fold=False).picture.nodes) == 400
    small = expression(100)
    assert len(draw(small).picture.nodes) == 100
    assert len(draw(small, fold=True).picture.nodes) <= MOST


@pytest.mark.parametrize("nodes", [5_000, 20_000])
def test_folding_shared_parts_does_not_take_exponential_time(nodes: int) -> None:
    """Structure keys were once nested tuples, and hashing one traversed it as a tree."""
    drawn = fold(picture(expression(nodes)))
    assert MOST // 4 <= len(drawn.nodes) <= MOST
    assert count(drawn) == nodes
    assert_is_a_picture(drawn)


def test_a_million_nodes() -> None:
    """No recursion, no box per node, and a message instead of a long wait."""
    length = 1_000_000 if chainrule.core == "c" else 100_000
    out = chain(length)
    drawn = draw(out)
    assert count(drawn.picture) == length + 1
    assert len(drawn.picture.nodes) == MOST
    assert_is_a_picture(drawn.picture)
    assert f"{length + 1:,} nodes, folded into {MOST} boxes" in words(drawn.svg)
    (rest,) = (node for node in drawn.picture.nodes if node.kind == GROUP)
    assert rest.label == f"{length + 2 - MOST:,} nodes: {length + 1 - MOST:,} add, 1 leaf"
    assert str(drawn).startswith(f"{numbers.format(out.data)}  (add)")
    message = f"the graph has {length + 1:,} nodes, too many to draw individually"
    with pytest.raises(ValueError, match=message):
        draw(out, fold=False)


def test_a_sum_of_very_many_values() -> None:
    xs = [Value(1.0) for _ in range(30_000)]
    drawn = draw(total([x * 2 for x in xs])).picture
    assert len(drawn.nodes) == MOST
    assert count(drawn) == 90_001
    assert_is_a_picture(drawn)


def test_nearest_with_one_output_inside_another() -> None:
    out = chain(50)
    inner = out.inputs[0].inputs[0]
    order = graph.topological(out)
    drawn = nearest(order, [inner, out], 20)
    assert count(drawn) == 51
    assert len(drawn.outputs) == 2
    assert_is_a_picture(drawn)


# --- files and notebooks -------------------------------------------------------------------------


def test_notebooks() -> None:
    drawn = draw(example())
    bundle = drawn._repr_mimebundle_()
    assert list(bundle) == ["text/html", "image/svg+xml", "text/plain"]
    assert bundle["image/svg+xml"] == drawn.svg
    assert drawn.svg in bundle["text/html"]
    assert bundle["text/plain"] == str(drawn)
    assert list(drawn._repr_mimebundle_(include=["text/plain"])) == ["text/plain"]
    assert "text/html" not in drawn._repr_mimebundle_(exclude=["text/html"])


def test_in_ipython() -> None:
    formatter = require("IPython.core.formatters").DisplayFormatter()
    formatter.active_types = ["text/html", "image/svg+xml", "text/plain"]
    data, _ = formatter.format(draw(example()))
    assert data["image/svg+xml"].startswith("<svg")


def test_saving(tmp_path: Path) -> None:
    drawn = draw(example())
    contents = {"a.svg": drawn.svg, "a.dot": graphviz(drawn.picture), "a.TXT": f"{drawn}\n"}
    for name, content in contents.items():
        drawn.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8") == content
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.TXT", "a.dot", "a.svg"]


@pytest.mark.parametrize("name", ["a.gif", "a", "a.svg.gz"])
def test_saving_under_a_wrong_name(tmp_path: Path, name: str) -> None:
    message = r"a drawing can be saved as \.svg, \.html, \.png, \.dot, \.txt, got"
    with pytest.raises(ValueError, match=message):
        draw(example()).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_saving_into_a_missing_directory(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"the directory of .* does not exist"):
        draw(example()).save(tmp_path / "missing" / "a.svg")


def test_a_file_is_never_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.svg"
    path.write_text("before")
    monkeypatch.setitem(drawing.FORMATS, ".svg", lambda drawing: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        draw(example()).save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["a.svg"]
    assert path.read_text() == "before"


def test_png(tmp_path: Path) -> None:
    require("cairosvg")
    draw(example()).save(tmp_path / "a.png")
    content = (tmp_path / "a.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    places = draw(example()).layout
    assert (width, height) == (round(2 * places.width), round(2 * places.height))


def test_png_rendered_by_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    if not any(map(shutil.which, png.BROWSERS)):
        require_program(png.BROWSERS[0])
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # the sanitizer is for our core, not for a browser
    monkeypatch.setattr(importlib, "import_module", missing)
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: which(name) if name in png.BROWSERS else None)
    places = draw(example()).layout
    content = png.png(draw(example()).svg, places.width, places.height)
    assert content.startswith(b"\x89PNG")


def missing(name: str, package: str | None = None) -> Any:
    raise ImportError(name)


def test_png_without_a_renderer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib, "import_module", missing)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match="a PNG file needs an SVG renderer: pip install cairosvg"):
        draw(example()).save(tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


def test_every_operation_can_be_drawn() -> None:
    a, b = Value(0.3, label="a"), Value(0.7, label="b")
    for op in chainrule.ops.TABLE:
        arity = getattr(op, "arity", 2)
        args = [a, b, a][: arity if arity > 0 else 2]
        out = op(*args)
        if out.inputs:
            drawn = draw(out)
            ET.fromstring(drawn.svg)
            assert f"({op.name})" in str(drawn)
    assert "(dot)" in str(draw(dot([a, b], [b, a])))
