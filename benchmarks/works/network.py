"""A recurrent network that reads a text character by character and predicts the next one.

A step is the mean cross-entropy over all characters of a batch of texts, and its gradient with respect
to the embeddings, the recurrent weights, their biases and the output weights.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from measure import Work, sized
from race import Contestant, Race
from works import spelling
from works.spelling import joined

from chainrule import Value, compile, dot, logsumexp, take, tanh

UNITS, CHARACTERS = sized(32, 4), sized(27, 5)
LENGTH, BATCH = sized(64, 6), sized(64, 4)
SHAPES = ((CHARACTERS, UNITS), (UNITS, UNITS), (1, UNITS), (CHARACTERS, UNITS))


def texts(count: int) -> Any:
    """One row per text: its characters as whole numbers, one more than are predicted."""
    return np.random.default_rng(7).integers(0, CHARACTERS, (BATCH, LENGTH + 1))[:count]


def weights() -> list[Any]:
    """Embeddings, recurrent weights, biases as one row, output weights."""
    rng = np.random.default_rng(8)
    return [0.3 * rng.standard_normal(shape) for shape in SHAPES]


def loss(parameters: Any, text: Any) -> Any:
    """Of one text."""
    embeddings, recurrent, (biases,), output = parameters
    hidden, total = [0.0] * UNITS, 0.0
    for character, following in pairwise(text):
        inputs = zip(take(embeddings, character), recurrent, biases, strict=True)
        hidden = [tanh(x + dot(row, hidden) + bias) for x, row, bias in inputs]
        scores = [dot(row, hidden) for row in output]
        total = total + logsumexp(scores) - take(scores, following)
    return total / (len(text) - 1)


def chainrule_network(count: int) -> Work:
    parameters = [[[Value(x) for x in row] for row in matrix.tolist()] for matrix in weights()]
    flat = [x for matrix in parameters for row in matrix for x in row]
    run, given = compile(lambda text: loss(parameters, text), flat), texts(count)
    return lambda: joined(*run.value_and_grad(given))


def jax_network(unroll: int, devices: int, count: int) -> Work:
    """The state of the whole batch is one matrix."""
    import jax

    numpy = jax.numpy

    def losses(parameters: Any, given: Any) -> Any:
        embeddings, recurrent, biases, output = parameters
        inputs = embeddings[given[:, :-1].T] + biases

        def step(hidden: Any, x: Any) -> Any:
            hidden = numpy.tanh(x + hidden @ recurrent.T)
            return hidden, hidden

        begin = 0.0 * inputs[0]
        _, hidden = jax.lax.scan(step, begin, inputs, unroll=unroll)
        scores, following = hidden @ output.T, given[:, 1:].T[..., None]
        chosen = numpy.take_along_axis(scores, following, axis=2)[..., 0]
        return (jax.nn.logsumexp(scores, axis=2) - chosen).mean()

    def both(parameters: Any, given: Any) -> Any:
        """One row for each device."""
        value, gradient = jax.value_and_grad(losses)(parameters, given)
        return jax.tree.map(lambda x: x[None], (value, *gradient))

    parameters, given = [numpy.array(each) for each in weights()], numpy.array(texts(count))
    run = spelling.on_devices(devices, both, parameters, given)

    def work() -> Any:
        return joined(*(np.asarray(each).mean(axis=0) for each in run()))

    return work


def torch_network(count: int) -> Work:
    """torch.nn.RNN runs the whole loop in native code."""
    import torch

    embeddings, recurrent, biases, output = (torch.tensor(each) for each in weights())
    rnn = torch.nn.RNN(UNITS, UNITS, dtype=torch.float64)
    with torch.no_grad():
        rnn.weight_ih_l0.copy_(torch.eye(UNITS))
        rnn.weight_hh_l0.copy_(recurrent)
        rnn.bias_ih_l0.copy_(biases[0])
        rnn.bias_hh_l0.zero_()
    rnn.weight_ih_l0.requires_grad_(False)
    rnn.bias_hh_l0.requires_grad_(False)
    embeddings.requires_grad_()
    output.requires_grad_()
    parameters = [embeddings, rnn.weight_hh_l0, rnn.bias_ih_l0, output]
    return torch_work(lambda characters: rnn(embeddings[characters])[0] @ output.T, parameters, count)


def torch_loop(count: int) -> Work:
    """The loop in Python."""
    import torch

    parameters = [torch.tensor(each, requires_grad=True) for each in weights()]
    embeddings, recurrent, biases, output = parameters

    def scores(characters: Any) -> Any:
        states = [torch.zeros(characters.shape[1], UNITS, dtype=torch.float64)]
        for x in embeddings[characters] + biases:
            states.append(torch.tanh(torch.addmm(x, states[-1], recurrent.T)))
        return torch.stack(states[1:]) @ output.T

    return torch_work(scores, parameters, count)


def torch_work(scores: Any, parameters: Any, count: int) -> Work:
    import torch

    text = torch.tensor(texts(count)).T.contiguous()

    def work() -> Any:
        found = scores(text[:-1]).reshape(-1, CHARACTERS)
        value = torch.nn.functional.cross_entropy(found, text[1:].reshape(-1))
        gradient = torch.autograd.grad(value, parameters)
        return joined(value.detach(), *gradient)

    return work


def race() -> Race:
    contestants = [
        spelling.ours(chainrule_network, BATCH),
        *spelling.jax_scans_on_devices(jax_network, BATCH),
        Contestant("PyTorch", "torch.nn.RNN", torch_network, BATCH, False, modules=["torch"]),
        Contestant("PyTorch", "loop", torch_loop, BATCH, False, modules=["torch"]),
    ]
    return Race(
        f"recurrent network of {UNITS} units, {LENGTH} characters, batch of {BATCH}, gradient",
        contestants,
        checked=BATCH,
        shown=BATCH,
        targets={"JAX": 2.0, "PyTorch": 2.0},
        advice="For recurrent networks",
    )
