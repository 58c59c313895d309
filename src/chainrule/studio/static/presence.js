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
        const status = await answer();
        if (status !== 0 && status !== 401) {
            this.looking = false;
            this.#found();
            return;
        }
        this.#say(status === 401 ? renewed() : gone());
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

/** The status of the page itself; 0 if nobody answers. */
async function answer() {
    try {
        return (await fetch("/", { method: "HEAD", cache: "no-store" })).status;
    } catch {
        return 0;
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
