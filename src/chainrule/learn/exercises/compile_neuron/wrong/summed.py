# the sum instead of the mean
from chainrule import compile


def loss_and_gradients(model, X, y):
    step = compile(lambda x, target: (model(x) - target) ** 2, params=model.parameters())
    loss, gradients = step.value_and_grad(X, y)
    return loss * len(X), gradients * len(X)
