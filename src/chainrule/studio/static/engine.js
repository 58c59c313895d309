// Values and gradients of a picture, recomputed for other leaves.
//
// Knows the order of a picture's steps, and nothing of calculus: formulas are in ops.js, which is
// generated from chainrule's table.

import { ops } from "./ops.js";
import { decode } from "./numbers.js";

const plans = new WeakMap();

/**
 * Compute everything anew. `data` is a Map from the number of a leaf to its value; leaves that are
 * not in it keep theirs. Returns arrays: `data` and `grad` by node, `partial` and `share` by edge;
 * null where there is nothing. A node whose operation is not in the table keeps its value, and its
 * derivatives for as long as nothing it is computed from has changed. Nodes that have `changed` since
 * the picture's numbers were computed get theirs from the leaves, as all others.
 */
export function recompute(picture, data = new Map()) {
    const { original, edges, rows } = plan(picture);
    const values = original.map((x, id) => (data.has(id) ? data.get(id) : x));
    const partial = picture.edges.map((edge) => decode(edge.partial));
    for (const node of picture.nodes) {
        const into = edges[node.id];
        const row = rows[node.id];
        if (row !== null) {
            const args = into.map((edge) => values[edge.source]);
            values[node.id] = row.value(args);
            const slopes = row.partials(args, values[node.id]);
            for (const edge of into.filter((each) => each.partial !== null || isHidden(picture, each))) {
                partial[edge.id] = slopes[edge.slot];
            }
        } else if (into.some((edge) => !Object.is(values[edge.source], original[edge.source]))) {
            into.forEach((edge) => { partial[edge.id] = null; });
        }
    }
    return { data: values, partial, ...gradients(picture, partial) };
}

/** The leaves that must stay as they are: something is computed from them that is not in the table. */
export function fixedLeaves(picture) {
    const { edges, rows } = plan(picture);
    const fixed = new Set();
    for (const node of [...picture.nodes].reverse()) {
        if (fixed.has(node.id) || (node.kind !== "leaf" && rows[node.id] === null)) {
            edges[node.id].forEach((edge) => fixed.add(edge.source));
        }
    }
    return fixed;
}

/** Whether nothing flows through an edge: from a branch that was not taken, and to a constant. */
export function isCut(picture, edge, partial) {
    const row = plan(picture).rows[edge.target];
    const untaken = partial === 0 && row !== null && row.selects;
    return untaken || picture.nodes[edge.source].kind === "constant";
}

/** Whether an edge has a derivative which the picture does not say, for it is no longer that of then. */
function isHidden(picture, edge) {
    return picture.nodes[edge.target].changed && picture.nodes[edge.source].kind !== "constant";
}

/** The edges of the arguments of a node, in order. */
export function edgesInto(picture, node) {
    return plan(picture).edges[node];
}

/** What does not change with the leaves, found once for each picture. */
function plan(picture) {
    if (!plans.has(picture)) {
        const original = picture.nodes.map((node) => decode(node.data));
        const edges = picture.nodes.map(() => []);
        picture.edges.forEach((edge) => edges[edge.target].push(edge));
        const rows = picture.nodes.map((node) => rowOf(picture, node, edges[node.id], original));
        plans.set(picture, { original, edges, rows });
    }
    return plans.get(picture);
}

/** The row that computes a node; null for leaves, and for what somebody made by hand. */
function rowOf(picture, node, edges, original) {
    if (node.inside) {
        return inner(node);
    }
    if (edges.length === 0 || !Object.hasOwn(ops, node.op)) {
        return null;
    }
    // An operation made by hand may have the name of a row, but its derivatives are not known.
    const row = ops[node.op];
    const slopes = row.partials(edges.map((edge) => original[edge.source]), original[node.id]);
    const same = edges.every((edge) => (
        picture.nodes[edge.source].kind === "constant" || isHidden(picture, edge)
        || (edge.partial === null) === (slopes[edge.slot] === null)
    ));
    return same ? row : null;
}

/** What is in a box with a picture inside, for its arguments, the first leaves there; its gradient is 1. */
export function within(node, args) {
    return recompute(node.inside, new Map(args.map((x, i) => [i, x])));
}

/** Such a box as a row. */
function inner(node) {
    return {
        value: (args) => within(node, args).data[node.inside.outputs[0]],
        partials: (args) => within(node, args).grad.slice(0, args.length),
        selects: false,
    };
}

/** As backward adds them up: in the order of the steps, and nothing through an edge that is cut. */
function gradients(picture, partial) {
    const grad = picture.nodes.map((node) => (node.kind === "constant" ? null : 0));
    const share = picture.edges.map(() => null);
    const reached = new Set();
    for (const step of picture.steps) {
        if (step.kind === "seed") {
            grad[step.node] += 1;
            reached.add(step.node);
        } else if (step.kind === "backward" && partial[step.edge] !== null) {
            const edge = picture.edges[step.edge];
            const slope = partial[step.edge];
            // What got nothing passes nothing on: its 0 times an infinite derivative would be NaN.
            if (!reached.has(edge.target) || isCut(picture, edge, slope)) {
                share[edge.id] = 0;
            } else {
                share[edge.id] = grad[edge.target] * slope;
                grad[edge.source] += share[edge.id];
                reached.add(edge.source);
            }
        }
    }
    return { grad, share };
}
