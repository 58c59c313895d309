// Compares gradients with finite differences, by the same rules as chainrule's checking.py.

import { recompute } from "../graph/engine.js";

export const EPSILON = 1e-5;
const TOLERANCE = 1e-5;

/**
 * Moves each of these leaves up and down, and compares. `data` is a Map of values, as for recompute.
 * Returns {leaf, gradient, numerical, agrees} for each.
 */
export function differences(picture, data, leaves) {
    const now = recompute(picture, data);
    return leaves.map((leaf) => {
        const x = now.data[leaf];
        const gradient = now.grad[leaf];
        const tried = steps(x).map((step) => slope(picture, data, leaf, x, step));
        const good = tried.find(({ numerical, noise }) => agree(gradient, numerical, noise));
        const { numerical } = good ?? tried[0];
        return { leaf, gradient, numerical, agrees: good !== undefined };
    });
}

/** The usual step, and others that are tried before a gradient is reported as wrong. */
function steps(x) {
    const size = Math.abs(x) || 1;
    return [...new Set([EPSILON * Math.max(1, size), EPSILON, EPSILON * size, 1e-2 * EPSILON * size])];
}

function slope(picture, data, leaf, x, step) {
    const high = x + step;
    const low = x - step;
    const above = recompute(picture, new Map(data).set(leaf, high)).data;
    const below = recompute(picture, new Map(data).set(leaf, low)).data;
    const total = (values) => picture.outputs.reduce((sum, node) => sum + values[node], 0);
    const largest = Math.max(...above.map(Math.abs), Math.abs(total(below)));
    const noise = 1e-14 * largest / (high - low);
    const numerical = (total(above) - total(below)) / (high - low);
    return { numerical, noise: Number.isFinite(noise) ? noise : 0 };
}

function agree(a, b, noise) {
    if (!Number.isFinite(a) || !Number.isFinite(b)) return a === b;
    return Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b)) + noise;
}
