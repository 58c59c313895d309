// The state of the page as the hash of its address: shareable, restored on load, undone by Back.
//
// Knows keys and texts only; what they mean is the business of the tabs.

export class Address extends EventTarget {
    constructor() {
        super();
        addEventListener("popstate", () => this.dispatchEvent(new Event("restore")));
    }

    read() {
        return new URLSearchParams(location.hash.slice(1));
    }

    /** Change some keys (null removes); `push` makes a place to go back to, otherwise the last is kept. */
    write(changes, { push = false } = {}) {
        const state = this.read();
        for (const [key, value] of Object.entries(changes)) {
            if (value === null || value === undefined) state.delete(key);
            else state.set(key, value);
        }
        const hash = `#${state}`;
        if (hash === location.hash || (hash === "#" && !location.hash)) return;
        history[push ? "pushState" : "replaceState"](null, "", hash);
    }
}
