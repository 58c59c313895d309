# all losses instead of their mean
from chainrule import compile


def loss_and_gradients(model, X, y):
    step = compile(lambda x, target: (model(x) - target) ** 2, params=model.parameters())
    loss, gradients = step.value_and_grad(X, y)
    return step(X, y), gradients
