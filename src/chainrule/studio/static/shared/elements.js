// Shared by several tabs: tables, downloads, a dialog and a tooltip.

import { h } from "../../../viz/web/static/page/dom.js";

export const byId = (id) => document.getElementById(id);

/** Writes text only if it differs, because every write makes the browser compute the layout again. */
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
    throw new Error("the browser does not let this page use the clipboard; select and copy the text yourself");
}

/** Shows a modal dialog; Escape and the close button close it, and the browser restores the focus. */
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

/** A function that runs at most once every `ms` milliseconds, and always for the last call. */
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
