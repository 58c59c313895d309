// Describes a step: as elements, and as a sentence for screen readers.

import { argument, formula } from "../graph/naming.js";
import { m, mathFrom } from "../page/dom.js";
import { format } from "../page/numbers.js";

export class Teller {
    constructor(picture, rules, names) {
        this.picture = picture;
        this.rules = rules;
        this.names = names;
    }

    /** What happens in a step: {phase, title, rows, spoken}; a row is a caption and its content. */
    tell(what, data) {
        return this[what.kind](what, data);
    }

    forward({ node, after }, data) {
        const { formula: text, numbers } = this.formulas(node, data);
        const line = `${numbers} = ${format(after)}`;
        return {
            phase: "Forward",
            title: `${this.names[node]} = ${text}`,
            rows: [["value", line]],
            spoken: `${this.names[node]} = ${text} = ${line}`,
        };
    }

    seed({ node, before, after }) {
        const name = this.names[node];
        const line = before === null ? `= ${format(1)}` : `${format(before)} += ${format(1)} → ${format(after)}`;
        return {
            phase: "Backward",
            title: `The gradient of ${name} with respect to itself is 1`,
            rows: [["local derivative", [derivative(name, name), ` = ${format(1)}`]], [`grad of ${name}`, line]],
            spoken: `grad of ${name} ${line}`,
        };
    }

    backward(what, data) {
        const [source, target] = [this.names[what.node], this.names[what.target]];
        const title = `From ${target} back to ${source}`;
        const rule = this.rule(what);
        if (what.share === null) {
            const line = `what flows back through ${target} is not known here: only Python can compute it`;
            return { phase: "Backward", title, rows: [["local derivative", line]], spoken: line };
        }
        if (what.cut) {
            const line = what.gradient === null
                ? `nothing has reached ${target}, so nothing flows on to ${source}`
                : `${target} did not take ${source}, so nothing flows back to it`;
            return { phase: "Backward", title, rows: [["local derivative", rule.content], ["cut", line]], spoken: line };
        }
        const product = `${format(what.gradient)} × ${format(what.partial)} = ${format(what.share)}`;
        const sum = what.unknown
            ? "not known here: only Python can compute everything that is added to it"
            : what.first
            ? `= ${format(what.share)}`
            : `${format(what.before)} += ${format(what.share)} → ${format(what.after)}`;
        return {
            phase: "Backward",
            title,
            rows: [
                ["local derivative", rule.content],
                [`grad of ${target} × local derivative`, product],
                [`grad of ${source}`, sum],
            ],
            spoken: `${rule.spoken}; ${product}; grad of ${source} ${sum}`,
        };
    }

    /** The local derivative of the edge of a step: as a formula where there is one, and its number. */
    rule({ edge, node, target, partial }, hidden = false) {
        const rule = this.rules[edge] ?? null;
        const number = hidden ? "?" : format(partial);
        const [of, by] = [this.names[target], this.names[node]];
        const formulas = rule === null ? [] : [" = ", mathFrom(rule.mathml) ?? rule.text];
        const spoken = rule === null ? "" : ` = ${rule.text}`;
        return {
            content: [derivative(of, by), ...formulas, ` = ${number}`],
            spoken: `∂${of}/∂${by}${spoken} = ${number}`,
        };
    }

    /** The formula of a node, in names and in numbers. */
    formulas(node, data) {
        const { inputs } = this.picture.nodes[node];
        return {
            formula: formula(this.picture.nodes[node], inputs.map((id) => argument(this.names, data, id))),
            numbers: formula(this.picture.nodes[node], inputs.map((id) => format(data[id]))),
        };
    }

    /** The same step as a question: {title, rows, label}. */
    ask(what, data) {
        if (what.kind === "forward") {
            const { formula: text, numbers } = this.formulas(what.node, data);
            const name = this.names[what.node];
            return { title: `What is ${name} = ${text}?`, rows: [["value", `${numbers} = ?`]], label: `Value of ${name}` };
        }
        const source = this.names[what.node];
        const label = `Gradient of ${source}`;
        if (what.kind === "seed") {
            const rows = [["local derivative", [derivative(source, source), " = ?"]]];
            return { title: `What is the gradient of ${source} with respect to itself?`, rows, label };
        }
        const target = this.names[what.target];
        const rows = [["local derivative", this.rule(what, true).content]];
        rows.push([`grad of ${target} × local derivative`, `${format(what.gradient)} × ? = ?`]);
        rows.push([`grad of ${source}`, what.first ? "= ?" : `${format(what.before)} += ? → ?`]);
        return { title: `What is the gradient of ${source} after this step?`, rows, label };
    }
}

function derivative(of, by) {
    const part = (name) => m("mrow", {}, m("mo", {}, "∂"), m(name.length === 1 ? "mi" : "mtext", {}, name));
    return m("math", { displaystyle: "true" }, m("mfrac", {}, part(of), part(by)));
}
