"""Helpers for tests of the trainer: start runs, and read the page's numbers once they have settled."""

from typing import Any

from chainrule import nn, optim, train

from .studio import Pages, cells, close_to, wait_for_text

SMALL = {"tab": "trainer", "data": "xor", "layers": "4", "rate": "0.05"}
BCE = "binary_cross_entropy_with_logits"


def trainer(pages: Pages, **state: Any) -> Any:
    """Open the trainer with a run that waits at epoch 0, set to full speed."""
    page = pages(**{"tab": "trainer", "speed": "full", **state})
    page.wait_for_selector("#play:enabled")
    return page


def fitted(epochs: int, X: Any, y: Any, sizes: list[int], *, loss: str = BCE, lr: float = 0.03) -> Any:
    """Train with the library, using the settings of the page."""
    model = nn.MLP(2, sizes, "tanh", init="xavier", seed=0)
    optimizer = optim.Adam(model.parameters(), lr=lr)
    history = None
    if epochs:
        history = train.fit(model, loss, X, y, optimizer=optimizer, epochs=epochs, seed=0)
    return model, history


def numbers(page: Any, caption: str) -> list[list[str]]:
    """The rows of a table under Numbers, once they are those of the current epoch."""
    if page.get_attribute("#numbers", "open") is None:
        page.click("#numbers summary")
    wait_for_text(page, "#tables caption", f"^Points at epoch {page.inner_text('#epoch-number')}$")
    return cells(page.locator(f"#tables table:has(caption:text('{caption}')) tbody tr"))


def assert_parameters(page: Any, model: Any) -> None:
    rows = numbers(page, "Parameters")
    expected = model.state_dict()
    assert [row[0] for row in rows] == list(expected)
    for row, x in zip(rows, expected.values(), strict=True):
        assert close_to(row[1], float(x)), row


def run_for_a_moment(page: Any, epochs: int = 20) -> int:
    """Start a run, let it train for some epochs, and pause it; returns the epoch reached."""
    page.click("#play")
    page.wait_for_function(
        f"() => Number(document.querySelector('#epoch-number').textContent) >= {epochs}"
    )
    page.click("#play")
    wait_for_text(page, "#play", "Resume")
    page.wait_for_timeout(400)  # a frame may still be in transit
    return int(page.inner_text("#epoch-number"))


def rewind(page: Any, epoch: int) -> None:
    page.locator("#epoch").fill(str(epoch))
    page.wait_for_selector(f"#plot svg[aria-label*='at epoch {epoch}:']")  # wait for the frame itself
    wait_for_text(page, "#epoch-number", f"^{epoch}$")
