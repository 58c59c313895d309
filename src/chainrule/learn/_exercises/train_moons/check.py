from chainrule import Value, data
from chainrule.learn.checking import CheckFailedError, Work


def check(work: Work) -> None:
    X, y = data.moons(100, seed=1)
    before = X.copy(), y.copy()
    model = work.get("train")(X, y)
    work.true("train(X, y) must return the model, got None: is there a return?", model is not None)
    work.true("train(X, y) must return a model that can be called", callable(model))
    out = work.kind("model(x), for a point x", model(X[0]), Value)
    same = bool((before[0] == X).all() and (before[1] == y).all())
    work.true("train(X, y) must not change the points or the labels", same)
    work.true("model(x) must not be NaN: is the learning rate too large?", out.data == out.data)
    unseen, labels = data.moons(200, seed=2)
    for name, points, classes, least in (
        ("the training points", X, y, 0.95),
        ("points that the model has not seen", unseen, labels, 0.95),
    ):
        right = sum(
            (model(x).data > 0) == (label == 1) for x, label in zip(points, classes, strict=True)
        )
        if right < least * len(points):
            expected = f"at least {least:.0%} right"
            raise CheckFailedError(f"{name}", expected, f"{right} of {len(points)} right")
