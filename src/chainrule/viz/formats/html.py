"""A self-contained HTML file for stepping through a picture, without a server or network.

Its Content Security Policy (CSP) allows one script and one style sheet, identified by their hashes, and
no requests at all. Labels and numbers are JSON in a block that browsers never execute.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from dataclasses import replace
from typing import Any

from .. import labels
from ..explaining.edges import rules_of
from ..layout.places import layout
from ..model import CHANGED, GROUP, OPERATION, Node, Picture
from ..web.bundle import STEPPER, STEPPER_STYLES, bundle, styles

START = """
const data = JSON.parse(document.getElementById("data").textContent);
const saved = () => {
    try {
        return JSON.parse(decodeURIComponent(location.hash.slice(1)));
    } catch {
        return {};
    }
};
const element = document.getElementById("stepper");
stepper_js.shown(element, { ...saved(), ...data, keys: document });
let timer = null; // browsers limit how often the URL may change
element.addEventListener("change", ({ detail }) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
        history.replaceState(null, "", `#${encodeURIComponent(JSON.stringify(detail))}`);
    }, 200);
});
"""

STYLE = """
:root { color-scheme: light dark; background: #eef1f6; }
body { max-width: 1120px; margin: 0 auto; padding: 28px 20px 36px; color: #17202c;
    font: 15px/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
h1 { margin: 0 0 18px; font-size: 24px; line-height: 1.3; font-weight: 700; letter-spacing: -0.01em;
    overflow-wrap: anywhere; }
footer { margin-top: 22px; color: #4d5967; font-size: 13px; }
noscript table { border-collapse: collapse; }
noscript :is(th, td) { padding: 4px 14px 4px 0; text-align: left; }
@media (prefers-color-scheme: dark) {
    :root { background: #0c1118; }
    body { color: #e8eef6; }
    footer { color: #a3b0c0; }
}
@media (max-width: 520px) {
    body { padding: 14px 10px 24px; }
    h1 { margin-bottom: 12px; font-size: 20px; }
}
"""


def page(picture: Picture, title: str = "") -> str:
    """The whole file as text; `title` defaults to that of the picture.

    A folded picture shows Python's numbers without sliders: its boxes cannot be recomputed.
    """
    folded = any(node.kind == GROUP and node.inside is None for node in picture.nodes)
    title = labels.clean(title or picture.title) or (
        "A folded graph" if folded else "Step through the graph"
    )
    body = f"""\
<main>
<h1>{html.escape(title)}</h1>
<div id="stepper"></div>
<noscript>
<p>The drawing needs JavaScript. These are the values and gradients.</p>
{table(picture)}
</noscript>
</main>
<footer>Made with chainrule. This file is self-contained and sends nothing anywhere.</footer>"""
    script = "{\n" + bundle([STEPPER]) + START + "}"
    return document(title, body, drawn(picture), script, styles(*STEPPER_STYLES) + STYLE)


def document(title: str, body: str, data: Any, script: str, style: str) -> str:
    """A file with one script and one style sheet; `data` is for the script, `body` is HTML."""
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{html.escape(labels.clean(title))}</title>
<style>{style}</style>
</head>
<body>
{body}
<script type="application/json" id="data">{_json(data)}</script>
<script>{script}</script>
</body>
</html>
"""


def drawn(picture: Picture) -> dict[str, Any]:
    """A picture with everything the stepper needs."""
    nodes = tuple(replace(node, label=labels.clean(node.label)) for node in picture.nodes)
    shown = replace(picture, nodes=nodes, title=labels.clean(picture.title)).as_dict()
    return {"picture": shown, "layout": layout(picture).as_dict(), "rules": list(rules_of(picture))}


def _hash(text: str) -> str:
    """The hash of a script or style, as a CSP source."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(data: Any) -> str:
    """JSON that cannot close its HTML element, because `<` is escaped."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def table(picture: Picture) -> str:
    """Values and gradients for readers without JavaScript."""
    rows = []
    for node in picture.nodes:
        arguments = ", ".join(_name(picture.nodes[i]) for i in node.inputs)
        made = f"{node.symbol}({arguments})" if node.kind == OPERATION else node.kind
        made += f", {CHANGED}" if node.changed else ""
        cells = [_name(node), made, *("" if x is None else repr(x) for x in (node.data, node.grad))]
        rows.append(
            "<tr>" + "".join(f"<td>{html.escape(labels.clean(cell))}</td>" for cell in cells) + "</tr>"
        )
    head = "".join(f"<th>{text}</th>" for text in ("name", "computed as", "value", "gradient"))
    return f"<table>\n<tr>{head}</tr>\n" + "\n".join(rows) + "\n</table>"


def _name(node: Node) -> str:
    return node.label or f"n{node.id}"
