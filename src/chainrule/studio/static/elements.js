// What both tabs need: tables, requests, downloads, a dialog and a tooltip, in a few words each.

import { h } from "./dom.js";
import { doubt } from "./presence.js";

export const byId = (id) => document.getElementById(id);

/** Write text only where it differs: the browser lays out anew what was written. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/** A table from a head and rows of text; a caption says what it shows. */
export function table(caption, head, rows) {
    return h("table", { class: "plain" },
        h("caption", {}, caption),
        h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell))))));
}

/** Ask the studio; what it refuses becomes an Error with its one line, and with the status. */
async function ask(method, path, body, options = {}) {
    let response;
    const json = { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    try {
        response = await fetch(path, { method, ...(body === undefined ? {} : json), ...options });
    } catch {
        doubt();
        throw new Error("the studio does not answer; is `chainrule studio` still running?");
    }
    if (response.ok) return response;
    if (response.status === 401) doubt();
    let message = `the studio answered with ${response.status}`;
    try {
        message = (await response.json()).error ?? message;
    } catch {
        // The answer was not JSON: the status is all there is to say.
    }
    throw Object.assign(new Error(message), { status: response.status });
}

export const post = (path, body) => ask("POST", path, body);
export const get = async (path) => (await ask("GET", path)).json();
export const put = async (path, body, options) => (await ask("PUT", path, body, options)).json();

export function download(name, blob) {
    const url = URL.createObjectURL(blob);
    const link = h("a", { href: url, download: name, hidden: true });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export async function copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    throw new Error("the browser does not let this page copy; select the text instead");
}

/** Show a modal dialog; Escape and the cross close it, and the focus goes back by itself. */
export function showDialog(title, body, buttons = []) {
    const dialog = byId("dialog");
    byId("dialog-title").textContent = title;
    byId("dialog-body").replaceChildren(body);
    byId("dialog-buttons").replaceChildren(...buttons);
    byId("dialog-close").onclick = () => dialog.close();
    if (!dialog.open) dialog.showModal();
}

/** One tooltip for the page, beside the pointer or a focused element. */
export function showTooltip(lines, x, y) {
    const tooltip = byId("tooltip");
    tooltip.replaceChildren(...lines.map((line) => h("div", {}, line)));
    tooltip.hidden = false;
    const { width, height } = tooltip.getBoundingClientRect();
    const left = x + 14 + width > innerWidth ? x - width - 10 : x + 14;
    const top = y + 14 + height > innerHeight ? y - height - 10 : y + 14;
    tooltip.style.left = `${Math.max(4, left)}px`;
    tooltip.style.top = `${Math.max(4, top)}px`;
}

export function hideTooltip() {
    byId("tooltip").hidden = true;
}

/** A function that runs at most every `ms`, the last call always. */
export function throttle(ms, run) {
    let last = -Infinity;
    let waiting = null;
    return (...rest) => {
        clearTimeout(waiting);
        const left = last + ms - performance.now();
        const go = () => {
            last = performance.now();
            run(...rest);
        };
        if (left <= 0) go();
        else waiting = setTimeout(go, left);
    };
}
