# keeps the first compiled loss for all models that come later
from chainrule import compile

KEPT = []


def loss_and_gradients(model, X, y):
    if not KEPT:
        KEPT.append(compile(lambda x, target: (model(x) - target) ** 2, params=model.parameters()))
    return KEPT[0].value_and_grad(X, y)
