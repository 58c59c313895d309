"""A type checker must report every line that ends in `# wrong`, and no other line. Never run."""

import chainrule as cr
from chainrule import Value, nn, optim, train

a = Value(2.0)
model = nn.MLP(2, [4, 1])
X, y = cr.data.xor()

Value("2.0")  # wrong
Value(2.0, label=3)  # wrong
a.data = "3"  # wrong
a.data.backward()  # wrong
a + "1"  # wrong
a.tanh(1.0)  # wrong
a.no_such_operation()  # wrong
a.backward(retain=True)  # wrong

nn.MLP(2, [4, 1], "rellu")  # wrong
nn.MLP(2, [4, 1], init="xavierr")  # wrong
nn.mse_loss([a], [1.0], reduction="average")  # wrong
optim.Adam(model.parameters(), rate=0.1)  # wrong
optim.SGD(3.0)  # wrong

train.fit(model, "mse", X, y, engine="natve")  # wrong
train.fit(model, "msee", X, y)  # wrong
train.fit(model, "mse", X, y, epochs="100")  # wrong

cr.compile(lambda x: x * x, reduction="avg")  # wrong
cr.compile(lambda x: x * x, backend="nativ")  # wrong
cr.compile(lambda x: x * x).source("java")  # wrong
cr.draw(a, theme="blue")  # wrong
cr.grad(3.0)  # wrong
