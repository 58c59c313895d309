"""How does the time of a step grow with parameters, batch, devices and hosts?

Measures steps of networks lowered to JAX on this machine, derives the rate and
the fixed overhead of a step, and extrapolates to 8, 64 and 1,024 devices. `--gpu` measures on a GPU.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import jax_lowering
import measure
from measure import Row, Table, in_time_units, sized, timed

GPU = jax_lowering.GPU
SIZES = (
    [(128, 1_024), (128, 16_384), (128, 262_144), (1_024, 16_384), (4_096, 16_384)]
    if GPU
    else [(64, 64), (64, 512), (64, 4_096), (256, 512), (1_024, 512)]
)
INPUTS, CLASSES = jax_lowering.INPUTS, 10
STEPS = sized(20, 2)


@dataclass(frozen=True)
class Link:
    """A connection between devices: its bandwidth in bytes per second, and its latency in seconds."""

    name: str
    bandwidth: float
    latency: float


# Published rates: NVLink 4 of one H200 (450 GB/s each way), and 400 Gb/s InfiniBand, one port per
# device; the latencies are typical for a single hop of a ring.
INSIDE = Link("NVLink 4 inside a host", 450e9, 3e-6)
BETWEEN = Link("400 Gb/s between hosts", 50e9, 10e-6)
IN_A_HOST = 8


def parameters(hidden: int) -> int:
    return (INPUTS + 1) * hidden + (hidden + 1) * CLASSES


def operations(hidden: int, batch: int) -> float:
    """Multiplications and additions of a step: two per weight forward, four backward."""
    return 6.0 * batch * (INPUTS * hidden + hidden * CLASSES)


def step_time(hidden: int, batch: int) -> float:
    work = jax_lowering.trained(*jax_lowering.network(hidden, batch), STEPS)
    work()
    return sorted(timed(work) for _ in range(5))[2] / STEPS


def all_reduce(devices: int, size: float) -> float:
    """The time in seconds of a ring all-reduce inside each host, then one between the hosts."""
    inside = min(devices, IN_A_HOST)
    hosts = -(-devices // IN_A_HOST)
    total = 0.0
    for count, link in ((inside, INSIDE), (hosts, BETWEEN)):
        total += 2 * (count - 1) / count * size / link.bandwidth + 2 * (count - 1) * link.latency
    return total


def tables() -> Iterator[Table]:
    table = Table(["hidden units", "parameters", "batch", "time per step", "operations per second"])
    rates = []
    fixed = step_time(16, 16)
    for hidden, batch in SIZES:
        work, seconds = operations(hidden, batch), step_time(hidden, batch)
        rates.append((work / seconds, work / (seconds - fixed)))
        cells = [f"{hidden:,}", f"{parameters(hidden):,}", f"{batch:,}", in_time_units(seconds)]
        table.rows.append(Row([*cells, f"{rates[-1][0] / 1e9:,.0f} G"]))
    yield table
    # The step with the highest rate is the least affected by the fixed overhead.
    yield predicted(max(rates)[1], fixed)


def predicted(rate: float, fixed: float) -> Table:
    """Predict the time of a step from its operations, the fixed overhead and the bytes it sends."""
    hidden, share = 4_096, 16_384
    head = f"devices with {share:,} samples each; {parameters(hidden):,} parameters"
    table = Table([head, "computation", "all-reduce", "time per step", "efficiency"])
    computing = operations(hidden, share) / rate + fixed
    for devices in (1, 8, 64, 1_024):
        network = all_reduce(devices, 8.0 * parameters(hidden)) if devices > 1 else 0.0
        total = computing + network
        cells = [f"{devices:,}", in_time_units(computing), in_time_units(network)]
        table.rows.append(Row([*cells, in_time_units(total), f"{computing / total:.0%}"]))
    return table


if __name__ == "__main__":
    sys.exit(measure.main(tables, ["jax"]))
