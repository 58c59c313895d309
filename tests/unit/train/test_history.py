"""History: the record of a training run, as text, as curves, in a notebook."""

import math
import re
import sys
from pathlib import Path

import pytest

from chainrule.train.history import History

from ...conftest import require


def example() -> History:
    return History(
        losses=[2.0, 1.0, 0.5],
        validation_losses=[3.0, 1.5, 2.0],
        metrics={"accuracy": [0.5, 0.75, 0.8]},
        gradient_norms={"layer 1": [1.0, 0.5, 0.25]},
        seconds=1.25,
        best_epoch=2,
        stopped="no improvement for 1 epochs",
    )


def test_a_history_as_text() -> None:
    text = (
        "3 epochs in 1.25 s, loss 2 -> 0.5, best validation loss 1.5 in epoch 2, accuracy 0.8; "
        "no improvement for 1 epochs"
    )
    assert str(example()) == repr(example()) == text
    assert str(History(losses=[0.25], seconds=0.5)) == "1 epochs in 0.50 s, loss 0.25 -> 0.25"
    assert str(History()) == "History: no epoch was completed"


def test_curves() -> None:
    assert example().curves() == {
        "loss": [2.0, 1.0, 0.5],
        "validation loss": [3.0, 1.5, 2.0],
        "accuracy": [0.5, 0.75, 0.8],
    }
    assert History(losses=[1.0]).curves() == {"loss": [1.0]}
    assert example().epochs == 3


def test_a_history_in_a_notebook() -> None:
    """x from 10 to 390 along the epochs; y from 130 for the lowest loss up to 10 for the highest."""
    html = example()._repr_html_()
    assert html.startswith("<svg")
    assert html.endswith(f"</svg><p>{example()}</p>")
    lines = re.findall(r'<polyline points="([^"]+)".*?<title>(.*?)</title>', html)
    assert lines == [
        ("10.0,58.0 200.0,106.0 390.0,130.0", "loss"),
        ("10.0,10.0 200.0,82.0 390.0,58.0", "validation loss"),
    ]


@pytest.mark.parametrize("losses", [[], [1.0], [1.0, 1.0], [math.inf, math.nan], [1.0, math.inf, 2.0]])
def test_a_notebook_shows_any_history(losses: list[float]) -> None:
    html = History(losses=losses)._repr_html_()
    drawing = html.split("<p>")[0]
    assert "nan" not in drawing
    assert "inf" not in drawing
    assert ("<svg" in html) == any(map(math.isfinite, losses))


def test_plotting_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    path = tmp_path / "curves.png"
    message = r"^plotting needs matplotlib: pip install 'chainrule\[plot\]'$"
    with pytest.raises(ImportError, match=message):
        example().plot(path)
    assert not path.exists()


def test_plotting(tmp_path: Path) -> None:
    require("matplotlib")
    path = tmp_path / "curves.png"
    figure = example().plot(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    left, right = figure.axes
    assert [line.get_label() for line in left.lines] == ["loss", "validation loss", "accuracy"]
    assert [line.get_label() for line in right.lines] == ["layer 1"]
    History().plot()
