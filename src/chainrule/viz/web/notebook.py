"""The stepper in a notebook: its sliders change the leaves in Python.

Needs anywidget, which the `notebook` extra installs; the script is the same as in exported files.
"""

from __future__ import annotations

import math
from typing import Any

from ...support import graph
from ...value import Value
from ..formats.html import drawn
from ..model import picture, values_of
from .bundle import STEPPER, STEPPER_STYLES, bundle, styles

RENDER = """
function render({ model, el }) {
    const { picture, layout, rules } = model.get("data");
    const element = document.createElement("div");
    el.append(element);
    const values = model.get("values");
    const stepper = new stepper_js.Stepper(element, { picture, layout, rules, values });
    element.addEventListener("change", (event) => {
        model.set("values", event.detail.values);
        model.save_changes();
    });
    const changed = () => {
        const next = model.get("values");
        if (JSON.stringify(next) !== JSON.stringify(stepper.state.values)) {
            stepper.restore({ values: next });
        }
    };
    model.on("change:values", changed);
    return () => {
        model.off("change:values", changed);
        stepper.destroy();
    };
}
export default { render };
"""


def widget(v: Any) -> Any:
    """Show the stepper for a result. Moving a slider sets the leaf's `data` and recomputes the graph.

    `widget(v).values` maps each leaf's number to its value; you can assign to it as well.
    """
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise ImportError(
            "the widget needs anywidget: install it with pip install 'chainrule[notebook]'"
        ) from None
    if not isinstance(v, Value):
        raise TypeError(f"widget expects a Value, got {type(v).__name__}")
    numbered = {str(i): node for i, node in enumerate(values_of([graph.topological(v, check=False)]))}
    leaves = {i: node for i, node in numbered.items() if node.is_leaf and not node.is_constant}

    class StepperWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        _esm = bundle([STEPPER]) + RENDER
        _css = styles(*STEPPER_STYLES)
        data = traitlets.Dict().tag(sync=True)
        values = traitlets.Dict().tag(sync=True)

        @traitlets.observe("values")  # type: ignore[untyped-decorator, unused-ignore]
        def _moved(self, change: Any) -> None:
            _assign(v, leaves, change["new"])

    values = {i: leaf.data for i, leaf in leaves.items() if math.isfinite(leaf.data)}
    return StepperWidget(data=drawn(picture(v)), values=values)


def _assign(v: Any, leaves: dict[str, Any], values: dict[str, float]) -> None:
    """Give the leaves their new values, and recompute what depends on them."""
    unknown = sorted(set(values) - set(leaves))
    if unknown:
        raise ValueError(f"no leaf has the number {unknown[0]}; the leaves are {', '.join(leaves)}")
    changed = {i: x for i, x in values.items() if x != leaves[i].data}
    for i, x in changed.items():
        leaves[i].data = x
    if changed:
        v.forward()
