"""XOR with the library's components: a network, a loss by name, and the training loop.

The same as xor_by_hand.py, which spells out every step. `fit` returns a history of the training run:
the loss of every epoch, and the norm of each layer's gradient.
"""

from chainrule import data, nn, no_grad, train


def learn(seed: int = 0, epochs: int = 500) -> tuple[nn.MLP, train.History]:
    """A trained network of two inputs, four hidden units and one output, and its history."""
    X, y = data.xor()
    model = nn.MLP(2, [4, 1], seed=seed)
    history = train.fit(model, "mse", X, y, epochs=epochs, progress=False)
    return model, history


def predictions(model: nn.MLP) -> list[float]:
    """The network's outputs for the four cases, computed without gradients."""
    X, _ = data.xor()
    with no_grad():
        return [model(x).data for x in X]


def main() -> None:
    model, history = learn()
    print(f"{model} with {len(model.parameters())} parameters")
    print("epoch   loss       gradient of layer 1   of layer 2")
    for epoch in range(0, len(history.losses), 100):
        first, second = (norms[epoch] for norms in history.gradient_norms.values())
        print(f"{epoch + 1:5}   {history.losses[epoch]:.6f}   {first:19.6f}   {second:10.6f}")
    X, y = data.xor()
    for (x1, x2), target, answer in zip(X, y, predictions(model), strict=True):
        print(f"{x1:.0f} xor {x2:.0f} = {answer:.3f}   target {target:.0f}")


if __name__ == "__main__":
    main()
