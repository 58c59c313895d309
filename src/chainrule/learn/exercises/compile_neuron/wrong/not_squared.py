# forgets the square
from chainrule import compile


def loss_and_gradients(model, X, y):
    step = compile(lambda x, target: model(x) - target, params=model.parameters())
    return step.value_and_grad(X, y)
