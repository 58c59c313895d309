// The state after a number of steps through a picture, and the effect of one step.

import { isCut } from "../graph/engine.js";

/** The numbers of `result` (from recompute) that are known after `count` steps; null for others. */
export function moment(picture, result, count) {
    const computed = new Set(picture.steps.filter((step) => step.kind === "forward").map((step) => step.node));
    const data = result.data.map((x, id) => (computed.has(id) ? null : x));
    const grad = picture.nodes.map(() => null);
    const share = picture.edges.map(() => null);
    for (const step of picture.steps.slice(0, count)) {
        if (step.kind === "forward") {
            data[step.node] = result.data[step.node];
        } else if (result.grad[step.node] === null) {
            share[step.edge] = result.share[step.edge]; // part of a sum that only Python knows
        } else if (step.kind === "seed") {
            grad[step.node] = (grad[step.node] ?? 0) + 1;
        } else {
            share[step.edge] = result.share[step.edge];
            if (flows(picture, result, grad, step)) grad[step.node] = (grad[step.node] ?? 0) + share[step.edge];
        }
    }
    // After the last step, nodes that no gradient has reached are known to have the gradient 0;
    // those that only Python can compute stay null.
    const known = count === picture.steps.length ? result.grad : grad;
    return { data, grad: known, share, partial: result.partial };
}

function flows(picture, result, grad, step) {
    const edge = picture.edges[step.edge];
    const partial = result.partial[edge.id];
    return result.share[edge.id] !== null && grad[edge.target] !== null && !isCut(picture, edge, partial);
}

/** The last of `count` steps: what it reads, and what it changes from `before` to `after`. */
export function happening(picture, result, count) {
    const step = picture.steps[count - 1];
    if (step.kind === "forward") return { kind: step.kind, node: step.node, edge: null, after: result.data[step.node] };
    const { grad } = moment(picture, result, count - 1);
    const before = grad[step.node];
    if (step.kind === "seed") return { kind: step.kind, node: step.node, edge: null, before, after: (before ?? 0) + 1 };
    const { target } = picture.edges[step.edge];
    const share = result.share[step.edge];
    const flowing = flows(picture, result, grad, step);
    const unknown = result.grad[step.node] === null;
    return {
        kind: step.kind,
        node: step.node,
        edge: step.edge,
        target,
        gradient: grad[target],
        partial: result.partial[step.edge],
        share,
        cut: !flowing && share !== null,
        unknown, // part of the gradient comes from an operation that only Python can differentiate
        first: before === null,
        before,
        after: unknown ? null : flowing ? (before ?? 0) + share : before,
    };
}
