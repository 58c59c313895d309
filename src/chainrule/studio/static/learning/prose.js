// Prose rendered by the studio, copied element by element; elements not listed here are replaced by their content.

import { h } from "../../../viz/web/static/page/dom.js";

const KNOWN = new Set(("p h2 h3 h4 h5 h6 ul ol li em strong code pre blockquote hr br a table thead tbody tr th td")
    .split(" "));

/** The nodes of rendered Markdown. */
export function proseFrom(html) {
    return copies(new DOMParser().parseFromString(html, "text/html").body);
}

function copies(element) {
    return [...element.childNodes].flatMap((node) => {
        if (node.nodeType === Node.TEXT_NODE) return [node.data];
        if (node.nodeType !== Node.ELEMENT_NODE) return [];
        return KNOWN.has(node.localName) ? [copy(node)] : copies(node);
    });
}

function copy(node) {
    const properties = {};
    if (node.localName === "th") properties.scope = "col";
    if (node.localName === "ol" && node.start > 1) properties.start = node.start;
    if (node.localName === "a" && /^https?:$/.test(node.protocol)) {
        Object.assign(properties, { href: node.href, rel: "noreferrer", target: "_blank" });
    }
    const made = h(node.localName, properties, ...copies(node));
    // Wide elements scroll on their own, and are focusable for keyboard scrolling.
    if (node.localName === "table") return h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": "Table" }, made);
    if (node.localName === "pre") made.setAttribute("tabindex", 0);
    return made;
}
