// Whether the studio is there: says so when it is gone, with the command that brings it back, and
// looks until it is.
//
// Whoever fails to reach it tells by `doubt()`; only then is anything asked for.

import { h } from "./dom.js";

const EVERY = 2000; // milliseconds from look to look
const DOUBT = "studio-doubt";

/** Something could not be reached, or was not let in. */
export function doubt() {
    window.dispatchEvent(new Event(DOUBT));
}

export class Presence {
    /** `element` is where it is said; `back()` is called when the studio answers again. */
    constructor(element, { back }) {
        Object.assign(this, { element, back });
        this.looking = false;
        window.addEventListener(DOUBT, () => this.#start());
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
        // Said once, not with every look: it is read aloud.
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

/** "here", "renewed" if it lets nobody in, or "gone": whatever else has the port now says other things. */
async function answer() {
    try {
        const response = await fetch("/api/course", { cache: "no-store" });
        const { lessons, error } = await response.json();
        if (Array.isArray(lessons)) return "here";
        if (typeof error !== "string" || response.status === 404) return "gone";
        return response.status === 401 ? "renewed" : "here"; // it may be busy, or unable to read its files
    } catch {
        return "gone";
    }
}

function gone() {
    const command = h("code", {}, `chainrule studio --port ${location.port || 80}`);
    return ["The studio has ended, or cannot be reached. Start it again in a terminal: ", command,
        " – this page goes on by itself when it is back."];
}

/** Another studio at this address has other cookies, which only its own token gives. */
function renewed() {
    return ["The studio was started anew. Open the address that it has printed, in this browser; "
        + "this page goes on by itself then."];
}
