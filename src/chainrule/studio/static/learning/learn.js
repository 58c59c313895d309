// The Learn tab: the list of lessons, one lesson, or one exercise, depending on the URL.

import { h } from "../../../viz/web/static/page/dom.js";
import { byId } from "../shared/elements.js";
import { get } from "../shared/requests.js";
import { exerciseList, WARNING } from "./course.js";
import { ExerciseView } from "./exercise.js";
import { LessonView } from "./lesson.js";

export class Learn {
    constructor({ address, say, trouble }) {
        Object.assign(this, { address, say, trouble });
        this.place = null; // in the course: null for the list, "3", "exercise/write_mul"
        this.shown = undefined; // the place shown on the page
        this.view = null;
        this.visible = false;
        this.kept = { drafts: new Map(), edits: new Map() }; // text that is not saved yet, by exercise and lesson
        this.asked = 0; // numbers the requests; answers to older ones are dropped
        this.left = Promise.resolve(); // until the previous views have saved their text
    }

    restore(state) {
        if (state.get("tab") === "learn") this.place = state.get("place");
    }

    show() {
        this.visible = true;
        this.#open();
        this.#title();
    }

    hide() {
        if (this.visible) this.view?.pause?.();
        this.visible = false;
    }

    repaint() {
        this.view?.repaint?.();
    }

    /** Goes to a place, and adds a history entry. */
    go(place) {
        this.say("");
        this.address.write({ tab: "learn", place }, { push: true });
        this.place = place;
        this.#open({ focus: true });
    }

    /** A link within the page; the browser handles clicks that open a new tab or window. */
    link(place, properties, ...children) {
        const follow = (event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
            event.preventDefault();
            this.go(place);
        };
        return h("a", { href: place ? `#learn/${place}` : "#learn", onclick: follow, ...properties }, ...children);
    }

    async #open({ focus = false } = {}) {
        const { place } = this;
        if (place === this.shown && this.view) return;
        this.asked += 1;
        const mine = this.asked;
        this.#leave(this.view);
        this.view = null;
        this.shown = place;
        try {
            const view = await this.#view(place);
            if (mine !== this.asked) return this.#leave(view);
            this.view = view;
        } catch (error) {
            if (mine !== this.asked) return undefined;
            this.view = { element: this.#missing(error), title: "Learn" };
        }
        byId("learn-view").replaceChildren(this.view.element);
        this.view.shown?.();
        this.#title();
        if (focus) {
            scrollTo(0, 0);
            this.view.element.querySelector("h2")?.focus({ preventScroll: true });
        }
        return undefined;
    }

    #leave(view) {
        this.left = Promise.all([this.left, view?.destroy?.()]);
    }

    #title() {
        if (this.visible && this.view) document.title = `${this.view.title} – chainrule studio`;
    }

    async #view(place) {
        const [kind, name] = (place ?? "").split("/");
        if (kind === "exercise" && name) {
            await this.left; // the previous view may be of the same exercise
            return new ExerciseView(this, await get(`/api/work/${name}`));
        }
        if (kind) return new LessonView(this, await get(`/api/lesson/${kind}`));
        return new ListView(this, await get("/api/course"));
    }

    #missing(error) {
        return h("div", { class: "reading" },
            h("h2", { tabindex: -1 }, "Not found"), h("p", {}, `${error.message}.`), h("p", {}, this.link(null, {}, "All lessons")));
    }
}

class ListView {
    constructor(learn, { lessons, passed, count, next, folder }) {
        this.title = "Learn";
        const bar = h("progress", { max: count, value: passed, "aria-label": "Exercises passed" });
        const go = next && learn.link(`exercise/${next.name}`, { class: "button primary" }, `${passed ? "Continue" : "Begin"}: ${next.title}`);
        this.element = h("div", { class: "course" },
            h("header", { class: "course-head" },
                h("h2", { tabindex: -1 }, "Build it yourself"),
                h("p", { class: "lead" }, "From a first Value class to a small GPT, in fifteen lessons. Read, change the code, "
                    + "answer questions, and write the parts yourself."),
                h("div", { class: "how-far" }, bar, h("p", {}, `${passed} of ${count} exercises passed`)),
                h("p", { class: "row" }, go, lessons.length ? learn.link("1", { class: "button" }, "Read from the start") : null)),
            h("ol", { class: "lessons" }, lessons.map((lesson) => row(learn, lesson))),
            h("p", { class: "help" }, "Your files and your progress are in ", h("code", {}, folder),
                "; ", h("code", {}, "chainrule learn"),
                " in a terminal uses the same folder. ", WARNING));
    }
}

function row(learn, { number, title, promise, minutes, exercises, quizzes }) {
    const passed = exercises.filter((each) => each.passed).length;
    const asked = quizzes.answered ? `${quizzes.right} of ${quizzes.answered} answered correctly at the first attempt` : `${quizzes.count} questions`;
    return h("li", { class: "card lesson-row" },
        h("span", { class: "lesson-number", "aria-hidden": "true" }, String(number)),
        h("div", { class: "lesson-text" },
            h("h3", {}, learn.link(String(number), { "aria-label": `Lesson ${number}: ${title}` }, title)),
            h("p", {}, promise.replace(/^\d+ minutes\. /, "")),
            h("p", { class: "help" }, `${minutes} min · ${asked}`)),
        h("div", { class: "lesson-work" },
            exercises.length ? h("p", { class: "help" }, `${passed} of ${exercises.length} exercises passed`) : null,
            exerciseList(learn, exercises)));
}
