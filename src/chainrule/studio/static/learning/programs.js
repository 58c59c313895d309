// The learner's programs: run by the studio, stopped by name, and shown with their outcome.

import { h, list } from "../../../viz/web/static/page/dom.js";
import { post } from "../shared/requests.js";

const HEADS = { passed: "It ran.", stopped: "It was stopped.", time: "It took too long.", error: "It raised an error." };

/** Runs one program at a time, from a lesson's block or an exercise. */
export class Program {
    /** `changed(running)` is called when a program starts and ends. */
    constructor(changed) {
        this.changed = changed;
        this.name = null;
    }

    get isRunning() {
        return this.name !== null;
    }

    /** Runs a program, and returns the studio's answer once it has ended. */
    async run(path, body) {
        this.name = crypto.randomUUID();
        this.changed(true);
        try {
            return await (await post(path, { ...body, program: this.name })).json();
        } finally {
            this.name = null;
            this.changed(false);
        }
    }

    async stop() {
        if (this.isRunning) await post("/api/stop", { program: this.name });
    }
}

/** The output of a program; null if it printed nothing. */
export function printed(text, label = "It printed") {
    if (!text) return null;
    return h("div", { class: "printed" }, h("span", { class: "tag" }, label),
        h("pre", { tabindex: 0, role: "region", "aria-label": label }, text));
}

/** The outcome of a program that was run without a check. */
export function ending({ kind, message, printed: text }) {
    const good = kind === "passed";
    const parts = [printed(text)];
    if (good && !text) parts.push(h("p", { class: "help" }, "It ran, and printed nothing."));
    if (!good) {
        parts.push(h("p", { class: "verdict wrong" }, `✗ ${HEADS[kind] ?? "It ended early."}`));
        parts.push(h("pre", { class: "message-text", tabindex: 0 }, message));
    }
    return parts.filter(Boolean);
}

/** The outcome of a check. */
export function verdict({ kind, message, printed: text, parts }) {
    if (kind === "passed") return [h("p", { class: "verdict right" }, "✓ Passed."), printed(text)].filter(Boolean);
    if (kind !== "failed") return ending({ kind, message, printed: text });
    const rows = [["with", parts.inputs], ["expected", parts.expected], ["got", parts.got]].filter(([, value]) => value);
    return [
        h("p", { class: "verdict wrong" }, "✗ Not yet."),
        h("p", { class: "what" }, parts.what ?? message),
        rows.length ? list(rows, { class: "facts" }) : null,
        parts.rule ? h("p", { class: "rule" }, parts.rule) : null,
        printed(text),
    ].filter(Boolean);
}
