import numpy as np

from chainrule.learn.checking import CheckFailedError, Work, number, several, whole


def by_hand(weights, X, y) -> tuple:
    """The mean loss and its gradients, in plain NumPy."""
    outputs = np.tanh(X @ weights[:-1] + weights[-1])
    slopes = 2 * (outputs - y) * (1 - outputs**2) / len(X)
    return float(np.mean((outputs - y) ** 2)), [*(slopes @ X), slopes.sum()]


def check(work: Work) -> None:
    function, Neuron = work.get("loss_and_gradients"), work.imported("chainrule.nn").Neuron

    def compare(model, X, y) -> None:
        weights = np.linspace(-0.8, 0.9, X.shape[1] + 1) + y[0] / 10
        for p, weight in zip(model.parameters(), weights, strict=True):
            p.data = float(weight)
        found = function(model, X, y)
        work.true(
            "loss_and_gradients must return two things, the loss and the gradients",
            np.iterable(found) and len(found) == 2,
        )
        loss, gradients = by_hand(weights, X, y)
        work.equal("the loss: the mean over all samples", found[0], loss, tolerance=1e-9)
        rule = "in the order of model.parameters(): the weights, then the bias"
        work.equal("the gradients", [float(g) for g in found[1]], [float(g) for g in gradients], rule)
        work.equal(
            "the parameters after loss_and_gradients, which must not change them",
            [p.data for p in model.parameters()],
            weights.tolist(),
        )

    @work.for_all(several(number(), 1, 3), number(), whole(0, 100), tries=15)
    def small(x: list, target: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        X = np.stack([x, rng.normal(size=len(x)).round(2)])
        compare(Neuron(len(x), seed=seed), X, np.array([target, 0.5]))

    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    model, runs = Neuron(3, seed=0), []
    forward = model.forward

    def counted(x):
        runs.append(x)
        return forward(x)

    model.forward = counted
    compare(model, X, X[:, 0])
    if len(runs) > 20:
        raise CheckFailedError(
            "how often the model runs for 2,000 samples", "a few times", f"{len(runs):,}"
        )
    compare(model, X, X[:, 1])  # with different weights
