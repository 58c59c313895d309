"""Train a network on points that no straight line can separate."""

from chainrule import nn, optim


def train(X, y):
    model = nn.MLP(2, [8, 8, 1], init="xavier", seed=0)
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    for _ in range(80):
        outputs = [model(x) for x in X]
        loss = nn.binary_cross_entropy_with_logits(outputs, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
