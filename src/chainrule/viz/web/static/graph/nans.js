// Why a number is NaN: which operation produced it first, and which argument that operation cannot take.
//
// Knows the domains from the table, and the few sums and products of infinities that are undefined.

import { format } from "../page/numbers.js";
import { within } from "./engine.js";
import { argument, formula, names } from "./naming.js";
import { ops } from "./ops.js";

const NO_PRODUCT = "0 × inf is undefined";
const NO_SUM = "inf − inf is undefined";

/** Whether a node is nan although none of its inputs is. */
export function isFirst(picture, data, id) {
    return Number.isNaN(data[id]) && !picture.nodes[id].inputs.some((input) => Number.isNaN(data[input]));
}

/** Why the value of a node is nan, in a sentence; null if it is not. */
export function whyValue(picture, data, id, known = names(picture)) {
    if (!Number.isNaN(data[id])) return null;
    let first = id;
    while (!isFirst(picture, data, first)) {
        first = picture.nodes[first].inputs.find((input) => Number.isNaN(data[input]));
    }
    const told = made(picture, data, first, known);
    return first === id ? told : `nan comes from ${known[first]}: ${told}`;
}

/** Why the gradient of a node is nan; `state` has data, grad, share and partial as far as they are known. */
export function whyGradient(picture, state, id, known = names(picture)) {
    const { grad, share } = state;
    if (!Number.isNaN(grad[id])) return null;
    const broken = (node) => picture.edges.find(({ id: edge, source }) => source === node && Number.isNaN(share[edge]));
    let first = id;
    let edge = broken(first);
    while (edge !== undefined && Number.isNaN(grad[edge.target])) {
        first = edge.target;
        edge = broken(first);
    }
    const told = edge === undefined ? `inf and −inf arrived here, and ${NO_SUM}` : flowed(state, edge, picture, known);
    return first === id ? told : `nan comes from the gradient of ${known[first]}: ${told}`;
}

/** Why an edge's share is nan although the target's gradient is not. */
function flowed({ data, grad, partial }, { id, source, target }, picture, known) {
    const slope = partial[id];
    if (!Number.isNaN(slope)) return `${format(grad[target])} × ${format(slope)} is nan: ${NO_PRODUCT}`;
    const reason = whyValue(picture, data, target, known);
    const start = `the local derivative of ${known[target]} is nan`;
    const place = `${argument(known, data, source)} = ${format(data[source])}`;
    return reason === null ? `${start}: it does not exist at ${place}` : `${start} because its value is: ${reason}`;
}

/** The operation that produced a nan, in numbers, and the reason. */
function made(picture, data, id, known) {
    const node = picture.nodes[id];
    const args = node.inputs.map((input) => data[input]);
    if (node.inside) {
        const { data: inner } = within(node, args);
        return whyValue(node.inside, inner, node.inside.outputs[0]);
    }
    if (args.length === 0) return `${known[id] || "a constant"} was nan from the start`;
    const reason = cause(node.op, args);
    return `${formula(node, args.map((x) => format(x)))} is nan${reason ? `: ${reason}` : ""}`;
}

function cause(op, args) {
    const [x, y] = args;
    const domain = ops[op]?.domain ?? null;
    if (domain !== null && (x < domain[0] || x > domain[1])) return `${op} is defined only for numbers ${range(domain)}`;
    if (op === "pow" && x < 0) return "a negative number needs an integer exponent";
    if (op === "div") return x === 0 && y === 0 ? "0 ÷ 0 is undefined" : "inf ÷ inf is undefined";
    if (op === "mul") return NO_PRODUCT;
    if (op === "add" || op === "sub") return NO_SUM;
    if (args.length === 1 && Math.abs(x) === Infinity) return `${op} is undefined for an infinite number`;
    return causeOfMany(op, args) ?? `${op} is undefined for these numbers`;
}

/** The undefined sum or product in an operation on many numbers; null if they do not show it. */
function causeOfMany(op, args) {
    const half = args.length / 2;
    const terms = op === "dot" ? args.slice(0, half).map((x, i) => x * args[half + i]) : args;
    if (op === "dot" && terms.some(Number.isNaN)) return NO_PRODUCT;
    if (op === "prod" && terms.includes(0) && (terms.includes(Infinity) || terms.includes(-Infinity))) {
        return NO_PRODUCT;
    }
    const summed = op === "dot" || op === "sum" || op === "mean";
    return summed && terms.includes(Infinity) && terms.includes(-Infinity) ? NO_SUM : null;
}

function range([low, high]) {
    const text = (x) => String(x).replace("-", "−");
    if (high === Infinity) return `from ${text(low)} up`;
    return low === -Infinity ? `up to ${text(high)}` : `from ${text(low)} to ${text(high)}`;
}
