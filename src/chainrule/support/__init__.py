"""What the engine stands on: IEEE arithmetic, errors, arrays, modes, and sweeps over a graph."""
