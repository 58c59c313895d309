"""Short programs in the style of public code, all written for the micrograd package.

A program that depends on the order of a set sorts it first, because micrograd's sets are unordered.
The import of Value is prepended to each program below.
"""

PROGRAMS: dict[str, str] = {}

PROGRAMS["an expression, printed before and after backward"] = """
a, b, c = Value(2.0), Value(-3.0), Value(10.0)
e = a * b
d = e + c
f = Value(-2.0)
L = d * f
print(L, L.data, L.grad)
L.backward()
for v in (a, b, c, d, e, f, L):
    print(v, v.data, v.grad, type(v.data).__name__, type(v.grad).__name__)
y = (a / b - c**-2 + 3 / f - 1) * -L
y += y.relu() + (2 - y).relu()
print(y)
for v in (a, b, c, d, e, f, L):
    v.grad = 0
y.backward()
print([round(v.grad, 9) for v in (a, b, c, f)])
"""

PROGRAMS["ints stay ints"] = """
x, y = Value(3), Value(-2)
for v in (x + y, x * y, x - 1, x**2, x**2.0, x**-1, x / 2, 2 * x, -x):
    print(v, v._op)
for v in (x.relu(), y.relu(), Value(-1.5).relu(), Value(0.0).relu(), Value(1.5).relu()):
    print(v, v._op)
z = x * y + x + 4
z.backward()
print(x, y, z)
half = Value(0.5)
w = (x * x) * half + x + half.relu()
w.backward()
print(x, y, half, w)
x.grad = 0
x.data += 0.5
print(x)
x.data = 7
print(x, Value(True) + 1)
dead = Value(-1.0)
out = (dead * 2.0).relu() + dead + (dead * -3).relu()
out.backward()
print(dead, out)
n = Value(2)
m = n**0 + n**1 + n**3
m.backward()
print(n, m)
"""

PROGRAMS["Adam's moments as attributes of the parameters"] = """
import random
from micrograd.nn import MLP

random.seed(7)
model = MLP(2, [4, 1])
for p in model.parameters():
    p.m = 0.0
    p.v = 0.0
data = [([0.0, 1.0], 1.0), ([1.0, 0.0], 1.0), ([1.0, 1.0], -1.0), ([0.0, 0.0], -1.0)]
for step in range(1, 16):
    loss = sum((model(x) - t) ** 2 for x, t in data)
    model.zero_grad()
    loss.backward()
    for p in model.parameters():
        p.m = 0.9 * p.m + 0.1 * p.grad
        p.v = 0.99 * p.v + 0.01 * p.grad**2
        m_hat, v_hat = p.m / (1 - 0.9**step), p.v / (1 - 0.99**step)
        p.data -= 0.1 * m_hat / (v_hat**0.5 + 1e-8)
    print(step, f"{loss.data:.6f}", f"{max(p.m for p in model.parameters()):.6f}")
print([f"{p.data:.5f}" for p in model.parameters()])
"""

PROGRAMS["attributes added and deleted"] = """
p = Value(1.0)
print(hasattr(p, "velocity"), getattr(p, "velocity", "none"))
p.velocity, p.name, p.frozen, p.history = 0.0, "w0", False, []
for step in range(5):
    loss = (p - 3.0) ** 2
    p.grad = 0
    loss.backward()
    if not p.frozen:
        p.velocity = 0.5 * p.velocity - 0.1 * p.grad
        p.data += p.velocity
    p.history.append(round(p.data, 6))
    p.frozen = step == 3
print(p.name, p.history, hasattr(p, "velocity"))
del p.velocity
print(hasattr(p, "velocity"), hasattr(loss, "name"), "name" in vars(p))
setattr(p, "momentum", 0.9)
print(p.momentum, sorted(k for k in vars(p) if not k.startswith("_") and k not in ("data", "grad")))
p.loss, loss.parameter = loss, p
print(p.loss.parameter is p)
"""

PROGRAMS["a list as the visited set"] = """
def order_of(root):
    visited, order = [], []
    def visit(v):
        if v not in visited:
            visited.append(v)
            for child in sorted(v._prev, key=lambda c: (c.data, c._op)):
                visit(child)
            order.append(v)
    visit(root)
    return order

a, b = Value(1.5), Value(-0.5)
c = a * b + a
d = c * c + b.relu() + 1.25
order = order_of(d)
print(len(order), [v._op or "leaf" for v in order])
d.grad = 1.0
for v in reversed(order):
    v._backward()
print([(v.data, v.grad) for v in (a, b, c, d)])
print(order.index(a) < order.index(c) < order.index(d), a in order, Value(1.5) in order)
"""

PROGRAMS["a hand-written topological sort"] = """
class Tape:
    def __init__(self, root):
        self.root, self.order, self.seen = root, [], set()
        stack = [(root, False)]
        while stack:
            node, done = stack.pop()
            if done:
                self.order.append(node)
            elif node not in self.seen:
                self.seen.add(node)
                stack.append((node, True))
                stack.extend((child, False) for child in node._prev)

    def zero(self):
        for node in self.order:
            node.grad = 0

    def run(self):
        self.zero()
        self.root.grad = 1
        for node in self.order[::-1]:
            node._backward()

x = [Value(i / 4) for i in range(4)]
y = sum(v * v for v in x) + x[0] * x[3] - x[1] / (x[2] + 1)
tape = Tape(y)
tape.run()
mine = [v.grad for v in x]
tape.zero()
y.backward()
print([round(g, 12) for g in mine], [round(v.grad, 12) for v in x] == [round(g, 12) for g in mine])
print(len(tape.order), len(tape.seen), len(y._prev), all(c in tape.seen for c in y._prev))
"""

PROGRAMS["a drawing as dot text"] = """
def trace(root):
    nodes, edges = set(), set()
    def build(v):
        if v not in nodes:
            nodes.add(v)
            for child in v._prev:
                edges.add((child, v))
                build(child)
    build(root)
    return nodes, edges

def dot(root):
    nodes, edges = trace(root)
    name = lambda v: f"{v._op or 'leaf'}:{v.data:.4f}"
    lines = []
    for n in nodes:
        label = f"{getattr(n, 'label', '')}|data {n.data:.4f}|grad {n.grad:.4f}"
        lines.append(f'"{name(n)}" [label="{label}", shape=record]')
        if n._op:
            lines.append(f'"{name(n)}{n._op}" -> "{name(n)}"')
    for child, n in edges:
        lines.append(f'"{name(child)}" -> "{name(n)}{n._op}"')
    return ["digraph {", *sorted(lines), "}"]

x1, x2 = Value(2.0), Value(0.25)
w1, w2, b = Value(-3.0), Value(1.0), Value(6.5)
n = x1 * w1 + x2 * w2 + b
out = (n**2 + 2 * n - 7.5 / b).relu()
for v, label in ((x1, "x1"), (x2, "x2"), (w1, "w1"), (w2, "w2"), (b, "b"), (n, "n"), (out, "out")):
    v.label = label
out.backward()
print("\\n".join(dot(out)))
"""

PROGRAMS["a subclass with a name"] = """
class Parameter(Value):
    count = 0

    def __init__(self, data, name=None):
        super().__init__(data)
        Parameter.count += 1
        self.name = name or f"p{Parameter.count}"

    def step(self, rate):
        self.data -= rate * self.grad
        self.grad = 0

    def __str__(self):
        return f"{self.name}={self.data:.4f}"

a, b = Parameter(1.0), Parameter(-2.0, "bias")
for _ in range(4):
    loss = (a * 3 + b - 1) ** 2 + (a - 1.5) ** 2
    loss.backward()
    a.step(0.02)
    b.step(0.02)
    print(a, b, f"{loss.data:.5f}")
print(type(a * b).__name__, type(-a).__name__, isinstance(a, Value), isinstance(a * b, Parameter))
print([p.name for p in sorted({a, b}, key=lambda p: p.name)], repr(a).startswith("Value(data="))
"""

PROGRAMS["a subclass with operations"] = """
import math

class Extended(Value):
    def __init__(self, data, _children=(), _op=""):
        super().__init__(data, _children, _op)
        self.calls = 0

    def __add__(self, other):
        other = other if isinstance(other, Value) else Extended(other)
        out = Extended(self.data + other.data, (self, other), "plus")
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
            out.calls += 1
        out._backward = _backward
        return out

    __radd__ = __add__

    def sin(self):
        out = Extended(math.sin(self.data), (self,), "sin")
        def _backward():
            self.grad += math.cos(self.data) * out.grad
        out._backward = _backward
        return out

x = Extended(0.5)
y = x + 2
z = (y + x.sin()) + 1
z.backward()
print(type(z).__name__, z._op, z.data, x.grad, y.calls, z.calls, y.grad)
print(1 + x, sum([x, y, z]).data)
"""

PROGRAMS["hand-written operations"] = """
import math

def tanh(x):
    t = math.tanh(x.data)
    out = Value(t, (x,), "tanh")
    def _backward():
        x.grad += (1 - t**2) * out.grad
    out._backward = _backward
    return out

def exp(x):
    out = Value(math.exp(x.data), (x,), "exp")
    out._backward = lambda: setattr(x, "grad", x.grad + out.data * out.grad)
    return out

def maximum(a, b):
    first = a.data >= b.data
    out = Value(max(a.data, b.data), (a, b), "max")
    def _backward():
        a.grad += first * out.grad
        b.grad += (not first) * out.grad
    out._backward = _backward
    return out

a, b = Value(0.3), Value(-0.8)
out = tanh(a * 2 + b) * exp(b) + maximum(a, b) + maximum(a * b, b)
out.backward()
print(f"{out.data:.12f}", f"{a.grad:.12f}", f"{b.grad:.12f}", out.grad)
print(sorted(v._op for v in out._prev), len(out._prev))
s = maximum(Value(2.0), a) + 1
s.backward()
print(s, a)
"""

PROGRAMS["methods added to the class"] = """
import math

def sigmoid(self):
    s = 1 / (1 + math.exp(-self.data))
    out = Value(s, (self,), "sigmoid")
    def _backward():
        self.grad += s * (1 - s) * out.grad
    out._backward = _backward
    return out

def leaky(self):
    out = Value(self.data if self.data > 0 else 0.1 * self.data, (self,), "leaky")
    def _backward():
        self.grad += (1 if out.data > 0 else 0.1) * out.grad
    out._backward = _backward
    return out

original = Value.relu
Value.sigmoid, Value.relu = sigmoid, leaky
Value.item = lambda self: self.data
try:
    x = Value(-1.0)
    y = (x * 2).relu().sigmoid() + x.relu()
    y.backward()
    print(f"{y.item():.10f} {x.grad:.10f} {y._op} {sorted(v._op for v in y._prev)}")
finally:
    Value.relu = original
print(x.relu(), x.relu()._op)
"""

PROGRAMS["backpropagation step by step"] = """
a = Value(2.0)
b = Value(-3.0)
c = Value(10.0)
f = Value(-2.0)
e = a * b
d = e + c
L = d * f
L.grad = 1.0
L._backward()
print(d, f)
d._backward()
print(c, e)
e._backward()
print(a, b)
for leaf in (a, b, c, f):
    leaf._backward()
for v in (a, b, c, f):
    v.data += 0.01 * v.grad
e = a * b
d = e + c
L = d * f
print(f"{L.data:.6f}", L._op, len(L._prev), L._prev == {d, f}, d in L._prev, a in L._prev)
h = 1e-6
before = (a * b + c) * f
a.data += h
print(f"{(((a * b + c) * f).data - before.data) / h:.4f}")
"""

PROGRAMS["a network on two classes"] = """
import random
from micrograd.nn import MLP

random.seed(1337)
X = [[random.gauss(0, 1), random.gauss(0, 1)] for _ in range(24)]
y = [1 if a * b > 0 else -1 for a, b in X]
model = MLP(2, [8, 8, 1])
print(model)
print("number of parameters", len(model.parameters()))

def loss_of(batch):
    inputs = [list(map(Value, X[i])) for i in batch]
    scores = list(map(model, inputs))
    losses = [(1 + -y[i] * score).relu() for i, score in zip(batch, scores)]
    data_loss = sum(losses) * (1.0 / len(losses))
    penalty = 1e-4 * sum((p * p for p in model.parameters()))
    right = [(y[i] > 0) == (score.data > 0) for i, score in zip(batch, scores)]
    return data_loss + penalty, sum(right) / len(right)

for k in range(6):
    total, accuracy = loss_of(random.sample(range(24), 12))
    model.zero_grad()
    total.backward()
    rate = 1.0 - 0.9 * k / 6
    for p in model.parameters():
        p.data -= rate * p.grad
    print(f"step {k} loss {total.data:.7f}, accuracy {accuracy * 100}%")
print(sum(p.grad == 0 for p in model.parameters()), model.layers[-1].neurons[0].b.data != 0)
"""

PROGRAMS["the parameters of a new network"] = """
import random
from micrograd import nn

random.seed(3)
neuron = nn.Neuron(2)
layer = nn.Layer(2, 3, nonlin=False)
model = nn.MLP(3, [2, 1])
for thing in (neuron, layer, model):
    print(thing, len(thing.parameters()), thing.parameters()[0], thing.parameters()[-1])
print(neuron([1.0, -2.0]), neuron([1, 2]), layer([Value(1.0), 0.5]), model([1.0, 2.0, 3.0]))
print(nn.Module().parameters(), isinstance(model, nn.Module), neuron.nonlin, layer.neurons[0].nonlin)
print(nn.Neuron(1, nonlin=False), random.random())
class Twice(nn.Module):
    def __init__(self):
        self.inner = nn.MLP(1, [1])
    def __call__(self, x):
        return self.inner([self.inner([x])])
    def parameters(self):
        return self.inner.parameters()
twice = Twice()
out = twice(2.0)
out.backward()
print(out, twice.parameters())
twice.zero_grad()
print(twice.parameters())
"""

PROGRAMS["copies of a model"] = """
import copy
import pickle
import random
from micrograd.nn import MLP

random.seed(11)
model = MLP(2, [3, 1])
best, best_loss = None, float("inf")
for step in range(8):
    loss = (model([0.5, -1.0]) - 0.75) ** 2 + (model([-0.5, 0.25]) + 0.5) ** 2
    if loss.data < best_loss:
        best, best_loss = copy.deepcopy(model), loss.data
    model.zero_grad()
    loss.backward()
    for p in model.parameters():
        p.data -= 0.05 * p.grad
print(f"{best_loss:.8f}", best, best is model)
saved = pickle.dumps([p.data for p in best.parameters()])
for p, number in zip(model.parameters(), pickle.loads(saved)):
    p.data = number
print([p.data for p in model.parameters()] == [p.data for p in best.parameters()])
print(best.parameters()[0] is model.parameters()[0], best.parameters()[0] in model.parameters())
"""

PROGRAMS["nodes in sets, dicts and sorted lists"] = """
from collections import Counter, defaultdict

values = [Value(x) for x in (3.0, -1.0, 2.0, 2.0)]
total = sum(v * (i + 1) for i, v in enumerate(values)) + values[0] ** 2 + values[1].relu() - 0.5
depth, users, ops = {total: 0}, defaultdict(int), Counter()
waiting = [total]
while waiting:
    v = waiting.pop()
    ops[v._op] += 1
    for child in v._prev:
        users[child] += 1
        if child not in depth:
            waiting.append(child)
        depth[child] = max(depth.get(child, 0), depth[v] + 1)
print(sorted(ops.items()), [users[v] for v in values], depth[total])
print([v.data for v in sorted(values, key=lambda v: v.data)], max(values, key=lambda v: v.data).data)
print(len(set(values)), len({*values, *values}), values[2] == values[3], values[2] == values[2])
print({v: i for i, v in enumerate(values)}[values[2]], values.index(values[3]))
leaves = [v for v in depth if not v._prev]
print(len(leaves), sorted(map(repr, leaves)), sum(1 for v in depth if v._op == ""))
total.backward()
print([v.grad for v in values], {v.data: v.grad for v in values[:3]})
"""

PROGRAMS["numbers, arrays and sums of all kinds"] = """
import math
import operator
from functools import reduce
import numpy as np

def value(x):
    return x if isinstance(x, Value) else Value(x)

def dot(xs, ys):
    return sum((value(x) * value(y) for x, y in zip(xs, ys)), Value(0.0))

w = [Value(0.5), Value(-1.5), Value(2.5)]
x = [1.0, 2.0, 3.0]
print(dot(w, x), sum(w), sum(w, Value(0.0)), reduce(operator.mul, w), math.prod(w))
W = np.array([w, w[::-1]])
out = W @ np.array(x)
print(out.shape, [o.data for o in out], W.sum().data, np.dot(w, x).data, (W * 2.0)[0, 1].data)
loss = ((out - np.array([1.0, 2.0])) ** 2).sum()
loss.backward()
print(loss.data, [v.grad for v in w])
print((w[0] * np.float64(2.0)).data, (np.float64(2.0) * w[0]).data, w[0].data + np.float64(1))
mean = sum(w) / len(w)
variance = sum((v - mean) ** 2 for v in w) / len(w)
for v in w:
    v.grad = 0
variance.backward()
print(f"{mean.data:.6f} {variance.data:.6f}", [round(v.grad, 9) for v in w])
total = None
for v in w:
    total = total + v if total else v
print(total.data)
"""

PROGRAMS["clipping, decay and a frozen layer"] = """
import random
from micrograd.nn import MLP

random.seed(5)
model = MLP(2, [3, 2, 1])
for p in model.layers[0].parameters():
    p.trainable = False
    p.start = p.data
for i, p in enumerate(model.parameters()):
    p.index = i
for step in range(6):
    loss = sum((model([a, 1.0 - a]) - a) ** 2 for a in (0.0, 0.25, 0.5, 0.75, 1.0)) / 5
    for p in model.parameters():
        p.grad = 0.0
    loss.backward()
    norm = sum(p.grad**2 for p in model.parameters()) ** 0.5
    scale = min(1.0, 0.5 / (norm + 1e-12))
    for p in model.parameters():
        if getattr(p, "trainable", True):
            p.data = 0.999 * p.data - 0.2 * scale * p.grad
    print(step, f"{loss.data:.7f} {norm:.6f}")
print(all(p.data == p.start for p in model.layers[0].parameters()))
print([p.index for p in sorted(model.parameters(), key=lambda p: -abs(p.grad))[:3]])
"""

PROGRAMS = {name: f"from micrograd.engine import Value\n{text}" for name, text in PROGRAMS.items()}

# Uses microgpt's Value, whose constructor takes local gradients; micrograd's does not.
MICROGPT = """
import math
import random

def linear(x, w):
    return [sum(wi * xi for wi, xi in zip(wo, x)) for wo in w]

def softmax(logits):
    largest = max(v.data for v in logits)
    exps = [(v - largest).exp() for v in logits]
    total = sum(exps)
    return [e / total for e in exps]

def rmsnorm(x):
    ms = sum(xi * xi for xi in x) / len(x)
    scale = (ms + 1e-5) ** -0.5
    return [xi * scale for xi in x]

def sine(v):
    return Value(math.sin(v.data), (v,), (math.cos(v.data),))

def hypotenuse(a, b):
    h = math.hypot(a.data, b.data)
    return Value(h, children=(a, b), local_grads=(a.data / h, b.data / h))

random.seed(42)
matrix = lambda nout, nin: [[Value(random.gauss(0, 0.5)) for _ in range(nin)] for _ in range(nout)]
state = {"in": matrix(4, 3), "out": matrix(3, 4)}
params = [p for mat in state.values() for row in mat for p in row]
m, v = [0.0] * len(params), [0.0] * len(params)
for step in range(5):
    losses = []
    for target, x in enumerate(([1.0, 0.0, 0.5], [0.0, 1.0, -0.5], [0.5, 0.5, 1.0])):
        hidden = [h.relu() for h in linear(rmsnorm([Value(xi) for xi in x]), state["in"])]
        probs = softmax(linear(hidden, state["out"]))
        losses.append(-probs[target].log())
    loss = (1 / len(losses)) * sum(losses) + sine(params[0]) * 0.01 + hypotenuse(params[1], params[2])
    loss.backward()
    for i, p in enumerate(params):
        m[i] = 0.85 * m[i] + 0.15 * p.grad
        v[i] = 0.99 * v[i] + 0.01 * p.grad**2
        m_hat, v_hat = m[i] / (1 - 0.85 ** (step + 1)), v[i] / (1 - 0.99 ** (step + 1))
        p.data -= 0.05 * m_hat / (v_hat**0.5 + 1e-8)
        p.grad = 0
    print(f"step {step + 1} loss {loss.data:.9f}")

a, b = Value(3.0), Value(-2.0)
for out in (a + b, a * b, a**2, a.log(), a.exp(), a.relu(), b.relu(), sine(a), a * 2, a + a):
    print([child.data for child in out._children], [round(float(g), 9) for g in out._local_grads])
    print(isinstance(out._children, tuple), isinstance(out._local_grads, tuple))
print(a._children, a._local_grads)
order, visited = [], set()
def build(v):
    if v not in visited:
        visited.add(v)
        for child in v._children:
            build(child)
        order.append(v)
loss = (a * b + a**2).exp() * 0.001 + sine(b)
build(loss)
loss.grad = 1
for node in reversed(order):
    for child, local_grad in zip(node._children, node._local_grads):
        child.grad += local_grad * node.grad
print(len(order), f"{a.grad:.9f} {b.grad:.9f}")
"""
