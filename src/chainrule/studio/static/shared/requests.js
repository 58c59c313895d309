// All requests of the page to the studio go through here, with the key in a header.
//
// The cookie alone grants nothing: the browser sends it to every port of this machine. The key is in
// the storage of this origin, which no other port can read. Every tab of the studio shares it, and a
// restarted studio issues a new one.

const KEY = "chainrule-key";
const HEADER = "X-Chainrule-Key";
const PROTOCOL = "chainrule"; // the studio's WebSocket protocol

const DOUBT = "studio-doubt";

export const key = () => localStorage.getItem(KEY) ?? "";
export const keepKey = (text) => localStorage.setItem(KEY, text);

/** Whether an answer rejects the cookie or the key. */
export const isShutOut = ({ status }) => status === 401 || status === 403;

/** Reports that the studio could not be reached, or rejected the cookie or key. */
export function doubt() {
    window.dispatchEvent(new Event(DOUBT));
}

export function onDoubt(run) {
    window.addEventListener(DOUBT, run);
}

/** The studio's raw answer. */
export function reach(path, { headers = {}, ...options } = {}) {
    return fetch(path, { cache: "no-store", ...options, headers: { ...headers, [HEADER]: key() } });
}

/** Opens a socket. A page cannot set its headers, so the key is passed as a protocol name. */
export function socketTo(path) {
    return new WebSocket(`ws://${location.host}${path}`, [PROTOCOL, key()].filter(Boolean));
}

/** Ask the studio. A rejected request throws an Error with the studio's message and the status. */
async function ask(method, path, body, options = {}) {
    let response;
    const json = { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    try {
        response = await reach(path, { method, ...(body === undefined ? {} : json), ...options });
    } catch {
        doubt();
        throw new Error("the studio does not answer; is `chainrule studio` still running?");
    }
    if (response.ok) return response;
    if (isShutOut(response)) doubt();
    let message = `the studio answered with ${response.status}`;
    try {
        message = (await response.json()).error ?? message;
    } catch {
        // The answer was not JSON: only the status is known.
    }
    throw Object.assign(new Error(message), { status: response.status });
}

export const post = (path, body) => ask("POST", path, body);
export const get = async (path) => (await ask("GET", path)).json();
export const put = async (path, body, options) => (await ask("PUT", path, body, options)).json();
