// One exercise: the task, the learner's file, Run, Check and Stop, hints, the solution.
//
// The terminal uses the same file. Typed text is saved after a short pause, but never over
// a version that this page has not loaded: in that case the learner chooses.

import { highlighted } from "../../../learn/static/highlighting.js";
import { h } from "../../../viz/web/static/page/dom.js";
import { get, post, put } from "../shared/requests.js";
import { WARNING } from "./course.js";
import { Editor } from "./editor.js";
import { ending, Program, verdict } from "./programs.js";
import { proseFrom } from "./prose.js";

const REST = 600; // milliseconds without typing before the text is saved
const KEYS = "Tab indents; Esc, then Tab leaves the editor. Ctrl+Enter checks.";

export class ExerciseView {
    constructor(learn, work) {
        Object.assign(this, { learn, work });
        this.title = work.title;
        this.saved = work.version ? work.text : work.starter; // the file's content, as far as known
        this.version = work.version;
        this.saving = Promise.resolve();
        this.sending = null; // the text of a save that is not confirmed yet
        this.sure = false;
        this.isGone = false;
        const draft = learn.kept.drafts.get(work.name);
        this.program = new Program((running) => this.#running(running));
        this.editor = new Editor({
            text: draft?.text ?? work.text, label: `${work.name}.py, Python`, numbers: true, tabs: true,
            describedBy: "editor-keys", change: () => this.#typed(), submit: () => this.check(),
        });
        // A draft whose text is in the file was saved although no answer came; the draft's version is outdated.
        if (draft && draft.text !== work.text) this.version = draft.version;
        this.#build();
        this.#showHints(work.hints);
        this.left = new AbortController(); // removes this view's event listeners
    }

    #build() {
        const { work, learn } = this;
        const button = (text, action, properties = {}) => h("button", { type: "button", onclick: action, ...properties }, text);
        this.checker = button("Check", () => this.check(), { class: "primary" });
        this.runner = button("Run", () => this.run());
        this.stopper = button("Stop", () => this.program.stop().catch(learn.trouble), { disabled: true });
        this.state = h("span", { class: "help save-state", role: "status" });
        this.result = h("div", { class: "result", role: "status" });
        this.conflict = h("div", { class: "conflict", role: "alert", hidden: true });
        this.hints = h("ol", { class: "hints" });
        this.hinter = button("Hint", () => this.#hint().catch(learn.trouble));
        this.solver = button("Solution", () => this.#solution().catch(learn.trouble));
        this.asking = h("p", { class: "help", role: "status" });
        this.solution = h("div");
        this.done = h("span", { class: "passed-mark" }, work.passed ? "✓ passed" : "");
        this.element = h("article", { class: "exercise" },
            h("header", {},
                h("p", { class: "way" }, learn.link(null, {}, "All lessons"), " · ", learn.link(String(work.lesson), {}, `Lesson ${work.lesson}`)),
                h("h2", { tabindex: -1 }, work.title, " ", this.done),
                h("p", { class: "help" }, `About ${work.minutes} minutes. The file is `, h("code", {}, work.path), ".")),
            h("div", { class: "task" },
                h("section", { class: "prose", "aria-label": "Task" }, ...proseFrom(work.task)),
                h("section", { "aria-label": "Help" }, this.hints, h("p", { class: "row" }, this.hinter, this.solver), this.asking, this.solution)),
            h("section", { class: "bench-work", "aria-label": "Your work" },
                this.conflict, this.editor.element,
                h("p", { class: "help", id: "editor-keys" }, KEYS),
                h("div", { class: "row work-tools" }, this.checker, this.runner, this.stopper,
                    button("Start again", () => this.editor.replace(work.starter), { class: "quiet" }), this.state),
                this.result,
                h("p", { class: "notice" }, WARNING)));
    }

    /** Called once the view is on the page. */
    shown() {
        const { signal } = this.left;
        const look = () => document.visibilityState === "visible" && this.#look();
        document.addEventListener("visibilitychange", look, { signal });
        addEventListener("focus", look, { signal });
        addEventListener("beforeunload", (event) => this.isUnsaved && event.preventDefault(), { signal });
        // Sent at once, because a closing page cannot wait for a save in progress.
        addEventListener("pagehide", () => this.#put({ keepalive: true }), { signal });
        if (this.isUnsaved) this.save();
    }

    /** Stores the typed text in the file or in a draft. */
    async destroy() {
        this.left.abort();
        this.program.stop().catch(() => {});
        await this.save();
        this.isGone = true;
    }

    pause() {
        this.save();
    }

    // --- the file --------------------------------------------------------------------------------

    get isUnsaved() {
        return this.editor.text !== this.saved;
    }

    #typed() {
        this.#keep();
        this.state.textContent = "not saved yet";
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.save(), REST);
    }

    /** Keeps unsaved text as a draft, for the next view of this exercise. */
    #keep() {
        if (this.isGone) return;
        const { drafts } = this.learn.kept;
        if (this.isUnsaved) drafts.set(this.work.name, { text: this.editor.text, version: this.version });
        else drafts.delete(this.work.name);
    }

    save(options) {
        clearTimeout(this.timer);
        this.saving = this.saving.then(() => this.#put(options));
        return this.saving;
    }

    async #put(options) {
        if (!this.isUnsaved || !this.conflict.hidden) return;
        const { text } = this.editor;
        const sent = { text, version: this.version, after: this.sending };
        this.sending = text;
        try {
            const { version } = await put(`/api/work/${this.work.name}`, sent, options);
            this.#wrote(text, version);
        } catch (error) {
            this.#failed(error);
        } finally {
            if (this.sending === text) this.sending = null;
        }
    }

    #wrote(text, version) {
        Object.assign(this, { saved: text, version });
        this.#keep();
        this.state.textContent = this.isUnsaved ? "not saved yet" : "saved";
    }

    #failed(error) {
        this.state.textContent = `not saved: ${error.message}`;
        if (error.status === 409) this.#look();
    }

    /** Checks whether another program has written the file. */
    async #look() {
        try {
            await this.saving;
            const found = await get(`/api/work/${this.work.name}`);
            if (found.version === this.version) return;
            if (found.version && found.text === this.editor.text) this.#wrote(found.text, found.version);
            else this.#choose(found);
        } catch (error) {
            this.state.textContent = error.message;
        }
    }

    #choose({ text, version }) {
        const { conflict, work } = this;
        const settle = (change) => {
            conflict.hidden = true;
            this.version = version;
            change();
            this.editor.field.focus();
        };
        const keep = () => settle(() => {
            this.saved = null; // the file differs from the editor
            this.save();
        });
        const take = () => settle(() => {
            this.saved = text;
            this.editor.replace(text);
            this.#wrote(text, version);
        });
        const what = version ? "was changed by another program since it was loaded here" : "no longer exists";
        conflict.replaceChildren(
            h("p", {}, h("strong", {}, `${work.name}.py ${what}.`), " Nothing is saved until you choose."),
            h("details", {}, h("summary", {}, "The current content of the file"),
                h("pre", { tabindex: 0 }, h("code", {}, ...highlighted(text)))),
            h("p", { class: "row" },
                h("button", { type: "button", class: "primary", onclick: keep }, "Keep this text"),
                h("button", { type: "button", onclick: take }, "Load the file")));
        conflict.hidden = false;
    }

    // --- running ---------------------------------------------------------------------------------

    #running(running) {
        this.checker.disabled = this.runner.disabled = running;
        this.stopper.disabled = !running;
        if (running) this.result.replaceChildren(h("p", { class: "help" }, "running …"));
    }

    run() {
        return this.#do("/api/run-exercise", ({ outcome }) => ending(outcome));
    }

    check() {
        return this.#do("/api/check-exercise", (answer) => this.#checked(answer));
    }

    async #do(path, show) {
        if (this.program.isRunning) return;
        await this.save();
        if (!this.conflict.hidden) {
            this.result.replaceChildren(h("p", { class: "verdict wrong" }, "First choose which version of the file to keep."));
            return;
        }
        const { text } = this.editor;
        try {
            const answer = await this.program.run(path, { exercise: this.work.name, text, version: this.version });
            this.#wrote(text, answer.version);
            this.result.replaceChildren(...show(answer));
        } catch (error) {
            this.result.replaceChildren(h("p", { class: "verdict wrong" }, `✗ ${error.message}`));
            if (error.status === 409) this.#look();
        }
    }

    #checked({ outcome, next }) {
        if (outcome.kind !== "passed") return verdict(outcome);
        this.work.passed = true;
        this.done.textContent = "✓ passed";
        const way = next ? this.learn.link(`exercise/${next.name}`, { class: "button primary" }, `Next: ${next.title}`)
            : this.learn.link(null, { class: "button" }, "That was the last exercise: all lessons");
        return [...verdict(outcome), h("p", { class: "row" }, way)];
    }

    // --- help ------------------------------------------------------------------------------------

    #showHints(hints) {
        const { hint_count: count } = this.work;
        this.hints.replaceChildren(...hints.map((hint) => h("li", { class: "prose" }, ...proseFrom(hint))));
        const left = count - hints.length;
        this.hinter.textContent = left ? `Hint ${hints.length + 1} of ${count}` : "No more hints";
        this.hinter.disabled = left === 0;
    }

    async #hint() {
        const { hints } = await (await post("/api/hint", { exercise: this.work.name })).json();
        this.#showHints(hints);
        const last = this.hints.lastElementChild;
        last.setAttribute("tabindex", -1);
        last.focus();
    }

    async #solution() {
        const { solution } = await (await post("/api/solution", { exercise: this.work.name, sure: this.sure })).json();
        if (solution === null) {
            this.sure = true;
            this.asking.textContent = "You have not passed this exercise yet. Press Solution again to see it anyway, or take a hint.";
            return;
        }
        this.asking.textContent = "";
        this.solver.disabled = true;
        this.solution.replaceChildren(h("h3", {}, "A solution"),
            h("pre", { class: "solution", tabindex: 0, role: "region", "aria-label": "A solution" }, h("code", {}, ...highlighted(solution))));
    }
}
