// The state of the page in the hash of its URL: shareable, restored on load, undone by Back.
//
// It knows only keys and texts; the tabs interpret them. A place in the course comes
// before the keys, as in #learn/3&theme=dark, and is read as the keys tab and place.

const PLACE = /^learn(?:\/(\w+(?:\/\w+)*))?(?=&|$)/;

export class Address extends EventTarget {
    constructor() {
        super();
        addEventListener("popstate", () => this.dispatchEvent(new Event("restore")));
    }

    read() {
        const hash = location.hash.slice(1);
        const found = hash.match(PLACE);
        const state = new URLSearchParams(found ? hash.slice(found[0].length) : hash);
        if (found) state.set("tab", "learn");
        if (found?.[1]) state.set("place", found[1]);
        return state;
    }

    /** Changes some keys (null removes one). `push` adds a history entry; otherwise the current one is replaced. */
    write(changes, { push = false } = {}) {
        const state = this.read();
        for (const [key, value] of Object.entries(changes)) {
            if (value === null || value === undefined) state.delete(key);
            else state.set(key, value);
        }
        const hash = `#${text(state)}`;
        if (hash === location.hash || (hash === "#" && !location.hash)) return;
        history[push ? "pushState" : "replaceState"](null, "", hash);
    }
}

function text(state) {
    const place = state.get("place");
    const learning = state.get("tab") === "learn";
    state.delete("place");
    if (!learning) return state.toString();
    state.delete("tab");
    return [place ? `learn/${place}` : "learn", state.toString()].filter(Boolean).join("&");
}
