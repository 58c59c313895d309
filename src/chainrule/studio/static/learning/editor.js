// A Python editor: a textarea over the same text with syntax highlighting.
//
// The highlighted text determines the size, and the textarea covers it.

import { highlighted } from "../../../learn/static/highlighting.js";
import { h } from "../../../viz/web/static/page/dom.js";

const INDENT = "    ";

export class Editor {
    /**
     * `numbers` shows line numbers. `tabs` lets Tab indent; Escape, then Tab leaves the field.
     * `change` and `submit` (Ctrl-Enter) are called without arguments.
     */
    constructor({ text, label, numbers = false, tabs = false, describedBy = null, change = () => {}, submit = () => {} }) {
        Object.assign(this, { tabs, change, submit });
        this.leaving = false;
        this.field = h("textarea", {
            class: "code", "aria-label": label, "aria-describedby": describedBy, wrap: "off", rows: 1,
            spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off",
            oninput: () => this.#changed(),
            onkeydown: (event) => this.#key(event),
            onblur: () => (this.leaving = false),
        });
        this.shown = h("code");
        this.numbers = numbers ? h("div", { class: "line-numbers", "aria-hidden": "true" }) : null;
        this.element = h("div", { class: "editor" }, this.numbers,
            h("div", { class: "editor-text" }, h("pre", { "aria-hidden": "true" }, this.shown), this.field));
        this.text = text;
    }

    get text() {
        return this.field.value;
    }

    set text(text) {
        this.field.value = text;
        this.#show();
    }

    /** Replaces the text so that Ctrl-Z can undo it. */
    replace(text) {
        this.field.focus();
        this.field.select();
        this.#insert(text);
        this.field.setSelectionRange(0, 0);
    }

    #changed() {
        this.#show();
        this.change();
    }

    #show() {
        this.shown.replaceChildren(...highlighted(this.text), "\n");
        if (this.numbers) {
            const lines = this.text.split("\n").length;
            this.numbers.textContent = Array.from({ length: lines }, (_, i) => i + 1).join("\n");
        }
    }

    #insert(text) {
        // Deprecated, but the only way to keep the undo history.
        const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
        if (!done) this.field.setRangeText(text, this.field.selectionStart, this.field.selectionEnd, "end");
        this.#changed();
    }

    #key(event) {
        const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
        if (key === "Enter" && (ctrlKey || metaKey)) {
            event.preventDefault();
            this.submit();
        } else if (key === "Escape") {
            this.leaving = true;
        } else if (key === "Tab" && this.tabs && !this.leaving && !ctrlKey && !metaKey && !altKey) {
            event.preventDefault();
            this.#indent(shiftKey);
        } else if (key === "Enter" && !shiftKey && !altKey) {
            event.preventDefault();
            const line = this.#before();
            const [space] = line.match(/^ */);
            this.#insert(`\n${space}${/:\s*$/.test(line) ? INDENT : ""}`);
        } else if (!["Shift", "Control", "Alt", "Meta", "Tab"].includes(key)) {
            this.leaving = false;
        }
    }

    /** The line up to the cursor. */
    #before() {
        const { value, selectionStart } = this.field;
        return value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
    }

    /** Indents or dedents the selected lines; without a selection, inserts spaces at the cursor. */
    #indent(back) {
        const { field } = this;
        const { value, selectionStart, selectionEnd } = field;
        if (!back && selectionStart === selectionEnd) {
            this.#insert(INDENT.slice(this.#before().length % INDENT.length));
            return;
        }
        const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
        const old = value.slice(start, selectionEnd);
        const made = old.replace(/^/gm, back ? "" : INDENT).replace(back ? /^ {1,4}/gm : /$^/, "");
        if (made === old) return;
        field.setSelectionRange(start, selectionEnd);
        this.#insert(made);
        const all = old.includes("\n");
        field.setSelectionRange(all ? start : start + made.length, start + made.length);
    }
}
