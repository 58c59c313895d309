"""Find the bug: outdated numbers."""


class Value:
    def __init__(self, data, inputs=(), op=""):
        self.data = data
        self.grad = 0.0
        self.inputs = inputs
        self.op = op
        self._forward = lambda: None
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(0.0, (self, other), "+")

        def _forward():
            out.data = self.data + other.data

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        return out.with_rules(_forward, _backward)

    def __mul__(self, other):
        out = Value(0.0, (self, other), "*")

        def _forward():
            out.data = self.data * other.data

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        return out.with_rules(_forward, _backward)

    def with_rules(self, forward, backward):
        self._forward, self._backward = forward, backward
        forward()
        return self

    def topological(self):
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, inputs_done = stack.pop()
            if inputs_done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                for child in reversed(node.inputs):
                    stack.append((child, False))
        return order

    def forward(self):
        """Recompute everything from the leaves."""
        for value in self.topological():
            value._forward()

    def backward(self):
        order = self.topological()
        for value in order:
            value.grad = 0.0
        self.grad = 1.0
        for value in reversed(order):
            value._backward()
