"""Replace a loop with a compiled function."""

from chainrule import compile


def loss_and_gradients(model, X, y):
    step = compile(lambda x, target: (model(x) - target) ** 2, params=model.parameters())
    return step.value_and_grad(X, y)
