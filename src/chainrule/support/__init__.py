"""Support for the engine: IEEE arithmetic, errors, arrays, modes, and sweeps over a graph."""
