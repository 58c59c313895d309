// Detects that the studio is gone, shows the command that starts it, and checks until it is back.
//
// It checks when a module that cannot reach the studio calls `doubt()`, and when the page becomes visible.

import { h } from "../../../viz/web/static/page/dom.js";
import { isShutOut, onDoubt, reach } from "../shared/requests.js";

const EVERY = 2000; // milliseconds between checks

export class Presence {
    /** `element` shows the state; `back()` is called when the studio answers again. */
    constructor(element, { back }) {
        Object.assign(this, { element, back });
        this.looking = false;
        onDoubt(() => this.#start());
        document.addEventListener("visibilitychange", () => document.hidden || this.#start());
    }

    #start() {
        if (this.looking) return;
        this.looking = true;
        this.#look();
    }

    async #look() {
        const answered = await answer();
        if (answered === "here") {
            this.looking = false;
            this.#found();
            return;
        }
        this.#say(answered === "renewed" ? renewed() : gone());
        setTimeout(() => this.#look(), EVERY);
    }

    #say(content) {
        // Shown once, not with every check, because screen readers read it aloud.
        const text = content.map((part) => part.textContent ?? part).join("");
        if (this.element.textContent !== text) this.element.replaceChildren(...content);
        this.element.hidden = false;
    }

    #found() {
        if (this.element.hidden) return;
        this.element.hidden = true;
        this.element.replaceChildren();
        this.back();
    }
}

/** "here", "renewed" if it rejects our key, or "gone", also if another program uses the port. */
async function answer() {
    try {
        const response = await reach("/api/course");
        const { lessons, error } = await response.json();
        if (Array.isArray(lessons)) return "here";
        if (typeof error !== "string" || response.status === 404) return "gone";
        return isShutOut(response) ? "renewed" : "here"; // it may be busy, or unable to read its files
    } catch {
        return "gone";
    }
}

function gone() {
    const command = h("code", {}, `chainrule studio --port ${location.port || 80}`);
    return ["The studio has ended, or cannot be reached. Start it again in a terminal: ", command,
        " – this page reconnects automatically."];
}

/** A restarted studio has a new cookie and key, which only its own code can provide. */
function renewed() {
    return ["The studio was restarted. In this browser, open the file named in its terminal, or ",
        h("a", { href: "/enter", target: "_blank" }, "enter its code"), "; this page then reconnects automatically."];
}
