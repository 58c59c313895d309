// Shared by the list, the lessons and the exercises.

import { h } from "../../../viz/web/static/page/dom.js";

export const WARNING = "This runs your own code on your own machine, in a separate process with limits on "
    + "time, memory, output and files. `chainrule info` lists further protections on your system.";

/** Exercises as links, with a mark for those already passed. */
export function exerciseList(learn, exercises) {
    return h("ul", { class: "exercise-list" }, exercises.map(({ name, title, minutes, passed }) => h("li", {},
        h("span", { class: passed ? "mark-done" : "mark-open", role: "img", "aria-label": passed ? "passed" : "not passed yet" },
            passed ? "✓" : ""),
        learn.link(`exercise/${name}`, {}, title),
        h("span", { class: "help" }, `${minutes} min`))));
}
