"""Classify the two moons with a small network of two outputs and a cross-entropy loss.

Trains in mini-batches, measures the accuracy on unseen points, and draws the decision boundary as
text.
"""

from typing import Any

import numpy as np

from chainrule import data, nn, no_grad, optim, train


def learn(n: int = 200, epochs: int = 40, seed: int = 0) -> tuple[nn.MLP, train.History]:
    """A trained network, and a history with the accuracy on unseen points after each epoch."""
    X, y = data.moons(n, seed=seed)
    model = nn.MLP(2, [8, 8, 2], seed=seed, init="xavier")
    history = train.fit(
        model,
        "cross_entropy",
        X,
        y,
        optimizer=optim.Adam(model.parameters(), lr=0.02),
        epochs=epochs,
        batch_size=20,
        validation=data.moons(n, seed=seed + 1),
        metrics={"accuracy": train.accuracy},
        progress=False,
    )
    return model, history


def picture(model: nn.MLP, X: Any, y: Any, width: int = 60, height: int = 20) -> str:
    """The plane as text: `.` and `+` where the network predicts 0 and 1, `o` and `x` for the points."""
    left, bottom = X.min(axis=0) - 0.3
    right, top = X.max(axis=0) + 0.3
    rows = []
    with no_grad():
        for x2 in np.linspace(top, bottom, height):
            scores = [model([x1, x2]) for x1 in np.linspace(left, right, width)]
            rows.append(["+" if one > zero else "." for zero, one in scores])
    for (x1, x2), label in zip(X, y, strict=True):
        column = round((x1 - left) / (right - left) * (width - 1))
        row = round((top - x2) / (top - bottom) * (height - 1))
        rows[row][column] = "ox"[label]
    return "\n".join("".join(row) for row in rows)


def main(epochs: int = 40) -> None:
    model, history = learn(epochs=epochs)
    print(
        f"cross-entropy {history.losses[0]:.4f} in the first epoch, {history.losses[-1]:.4f} in the last"
    )
    print(f"accuracy on new points {history.metrics['accuracy'][-1]:.1%}")
    print(picture(model, *data.moons(60, seed=2)))


if __name__ == "__main__":
    main()
