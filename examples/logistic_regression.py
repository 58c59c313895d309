"""Logistic regression by Newton's method, with the exact gradient and Hessian.

The loss is convex, so a point with zero gradient is a best fit. Newton's method reaches it
in a few steps, roughly doubling the number of correct digits each time.
"""

from typing import Any

import numpy as np

from chainrule import data, dot, hessian, nn, value_and_grad


def logit(weights: Any, x: Any) -> Any:
    """The log-odds of class 1, positive on its side of the line; the last weight is the bias."""
    return dot(weights[:2], x) + weights[2]


def loss(weights: Any, X: Any, y: Any) -> Any:
    """The mean cross-entropy of the labels."""
    return nn.binary_cross_entropy_with_logits([logit(weights, x) for x in X], y.tolist())


def newton(X: Any, y: Any, steps: int = 10, tolerance: float = 1e-13) -> tuple[list[float], list[Any]]:
    """The best weights, and (loss, gradient norm) before each step."""
    weights = [0.0, 0.0, 0.0]
    history = []
    for _ in range(steps):
        value, gradient = value_and_grad(loss)(weights, X, y)
        history.append((value, np.linalg.norm(gradient)))
        if history[-1][1] < tolerance:
            break
        step = np.linalg.solve(hessian(loss)(weights, X, y), gradient)
        weights = (np.array(weights) - step).tolist()
    return weights, history


def accuracy(weights: list[float], X: Any, y: Any) -> float:
    """The fraction of points on the correct side of the line."""
    return float(np.mean([(logit(weights, x) > 0) == label for x, label in zip(X, y, strict=True)]))


def main() -> None:
    # The noise must make the two clouds overlap: otherwise the best weights are infinite.
    X, y = data.blobs(100, centers=2, noise=1.5)
    weights, history = newton(X, y)
    for i, (value, size) in enumerate(history):
        print(f"step {i}   loss {value:.12f}   gradient {size:.1e}")
    w1, w2, bias = weights
    print(f"logit = {w1:.4f} x1 {w2:+.4f} x2 {bias:+.4f}, accuracy {accuracy(weights, X, y):.0%}")


if __name__ == "__main__":
    main()
