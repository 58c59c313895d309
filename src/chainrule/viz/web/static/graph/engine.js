// Values and gradients of a picture, recomputed for new values of its leaves.
//
// Knows the order of a picture's steps, but no calculus: the formulas are in ops.js, which is generated
// from chainrule's table.

import { decode } from "../page/numbers.js";
import { ops } from "./ops.js";

const plans = new WeakMap();

/**
 * Recomputes every value and gradient for new values of the leaves. `data` is a Map from a leaf's id to its
 * new value; other leaves keep theirs. `seed` is the gradient of each output. Returns arrays: `data` and
 * `grad` by node, `partial` and `share` by edge. An entry is null if there is no such number or if it cannot
 * be computed in the browser.
 *
 * Nodes that depend on no changed leaf keep Python's values and derivatives exactly. The rest is
 * recomputed, and so are nodes that have `changed` since Python computed them. A node that only Python can
 * compute is unknown once it needs recomputing, and so is everything that depends on it. The gradients of
 * the inputs of a hand-made operation are never known, because only its function can compute them.
 */
export function recompute(picture, data = new Map(), seed = 1) {
    const { original, slopes, edges, rows } = plan(picture);
    const values = original.map((x, id) => (data.has(id) ? data.get(id) : x));
    const partial = [...slopes];
    const moved = values.map((x, id) => !Object.is(x, original[id]));
    for (const { id, changed } of picture.nodes) {
        const into = edges[id];
        if (into.length === 0 || !(changed || into.some((edge) => moved[edge.source]))) continue;
        moved[id] = true;
        const args = into.map((edge) => values[edge.source]);
        const row = args.includes(null) ? null : rows[id];
        values[id] = row === null ? null : row.value(args);
        const found = row === null ? [] : row.partials(args, values[id]);
        for (const { id: edge, source, slot } of into) {
            partial[edge] = picture.nodes[source].kind === "constant" ? null : found[slot] ?? null;
        }
    }
    return { data: values, partial, ...gradients(picture, values, partial, seed) };
}

/** The numbers that Python had when it drew the picture, in the form that recompute returns. */
export function asDrawn(picture) {
    return {
        data: plan(picture).original,
        grad: picture.nodes.map((node) => decode(node.grad)),
        partial: plan(picture).slopes,
        share: picture.edges.map((edge) => decode(edge.share)),
    };
}

/** The leaves whose values cannot be changed, because an operation outside the table depends on them. */
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

/** Whether no gradient flows through an edge: to a branch that was not taken, or to a constant. */
export function isCut(picture, edge, partial) {
    const row = plan(picture).rows[edge.target];
    const untaken = partial === 0 && row !== null && row.selects;
    return untaken || picture.nodes[edge.source].kind === "constant";
}

/** Data that does not depend on the leaves, computed once per picture. */
function plan(picture) {
    if (!plans.has(picture)) {
        const original = picture.nodes.map((node) => decode(node.data));
        const edges = picture.nodes.map(() => []);
        picture.edges.forEach((edge) => edges[edge.target].push(edge));
        const slopes = picture.edges.map((edge) => decode(edge.partial));
        plans.set(picture, { original, slopes, edges, rows: picture.nodes.map(rowOf) });
    }
    return plans.get(picture);
}

/** The row that computes a node; null for leaves, and for nodes that only Python can compute. */
function rowOf(node) {
    if (node.inside) return inner(node);
    return node.rule === "table" ? ops[node.op] : null;
}

/**
 * The numbers inside a box that contains a picture, given the box's gradient and its arguments (the values of
 * the picture's first leaves).
 */
export function within(node, args, seed = 1) {
    return recompute(node.inside, new Map(args.map((x, i) => [i, x])), seed);
}

/** A box that contains a picture, as a row. */
function inner(node) {
    return {
        value: (args) => within(node, args).data[node.inside.outputs[0]],
        partials: (args) => within(node, args).grad.slice(0, args.length),
        selects: false,
    };
}

/** Accumulates gradients as backward does: results before inputs, nothing through cut edges. */
function gradients(picture, data, partial, seed) {
    const { edges } = plan(picture);
    const grad = picture.nodes.map((node) => (node.kind === "constant" ? null : 0));
    const share = picture.edges.map(() => null);
    const reached = new Set(picture.outputs);
    picture.outputs.forEach((id) => { grad[id] += seed; });
    for (const node of [...picture.nodes].reverse()) {
        const into = edges[node.id].filter((edge) => picture.nodes[edge.source].kind !== "constant");
        const known = grad[node.id] !== null && data[node.id] !== null && node.rule !== "by hand";
        if (!reached.has(node.id)) {
            // A node without a gradient passes nothing on: 0 times an infinite derivative would be NaN.
            into.filter((edge) => partial[edge.id] !== null).forEach((edge) => { share[edge.id] = 0; });
            continue;
        }
        const shares = known ? sent(picture, node, into, data, partial, grad[node.id]) : into.map(() => null);
        into.forEach((edge, i) => {
            if (known && partial[edge.id] === null) return; // an argument without a derivative: nothing flows
            share[edge.id] = shares[i];
            if (shares[i] === null || !isCut(picture, edge, partial[edge.id])) {
                // A sum with an unknown term is unknown.
                const sum = grad[edge.source];
                grad[edge.source] = shares[i] === null || sum === null ? null : sum + shares[i];
                reached.add(edge.source);
            }
        });
    }
    return { grad, share };
}

/** The shares of the edges into a node; for a box, those of the picture inside. */
function sent(picture, node, into, data, partial, grad) {
    if (node.inside) {
        const args = plan(picture).edges[node.id].map((edge) => data[edge.source]);
        const found = within(node, args, grad).grad;
        return into.map((edge) => found[edge.slot]);
    }
    return into.map((edge) => (isCut(picture, edge, partial[edge.id]) ? 0 : grad * partial[edge.id]));
}
