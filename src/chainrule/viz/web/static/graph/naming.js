// Names and formulas of nodes, used in descriptions of steps.

import { format } from "../page/numbers.js";

const INFIX = new Set(["add", "sub", "mul", "div", "pow", "less", "less_equal", "equal"]);

/** A name for every node: its label, or a short unused one. */
export function names(picture) {
    const taken = new Set(picture.nodes.map((node) => node.label));
    const counts = { v: 0, x: 0 };
    const fresh = (letter) => {
        do {
            counts[letter] += 1;
        } while (taken.has(letter + counts[letter]));
        return letter + counts[letter];
    };
    return picture.nodes.map((node) => {
        if (node.label !== "") return node.label;
        if (node.kind === "constant") return "";
        return fresh(node.kind === "leaf" ? "x" : "v");
    });
}

/** An argument in a formula: its name, or its number if it is a constant. */
export function argument(names, data, id) {
    const x = data[id];
    return names[id] || (Number.isInteger(x) ? String(x).replace("-", "−") : format(x));
}

/** An operation applied to arguments that are text already: "a × b", "tanh(v1)". */
export function formula(node, args) {
    if (INFIX.has(node.op) && args.length === 2) return `${args[0]} ${node.symbol} ${args[1]}`;
    if (node.op === "neg" && args.length === 1) {
        return `−${args[0].startsWith("−") ? `(${args[0]})` : args[0]}`;
    }
    if (node.op === "dot") {
        const half = args.length / 2;
        return `dot([${args.slice(0, half).join(", ")}], [${args.slice(half).join(", ")}])`;
    }
    const shown = node.inside && args.length > 3 ? [args[0], "…", args.at(-1)] : args; // all of a layer
    return `${node.symbol || node.op}(${shown.join(", ")})`;
}
