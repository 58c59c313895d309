"""Put it all together: backward.

Every result has a `_backward` that passes its gradient on to its inputs, and `topological` lists a
graph with inputs before results. Write `backward`: after `d.backward()`, the `grad` of every Value
from which d was computed is the slope of d with respect to that Value. For d itself, that is 1.

If it is called again, leaves add the new gradients to the old ones. Results start again at 0.
"""


class Value:
    def __init__(self, data, inputs=(), op=""):
        self.data = data
        self.grad = 0.0
        self.inputs = inputs
        self.op = op
        self._backward = lambda: None

    def __repr__(self):
        return f"Value({self.data})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

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

    def backward(self):
        pass  # your code here
