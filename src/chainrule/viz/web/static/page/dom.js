// Elements from names, properties and children; text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";
const MATHML = "http://www.w3.org/1998/Math/MathML";

/** An HTML element: h("button", {class: "play", onclick: play}, "Play"). */
export function h(name, properties = {}, ...children) {
    return fill(document.createElement(name), properties, children);
}

/** An SVG element. */
export function s(name, properties = {}, ...children) {
    return fill(document.createElementNS(SVG, name), properties, children);
}

/** A MathML element. */
export function m(name, properties = {}, ...children) {
    return fill(document.createElementNS(MATHML, name), properties, children);
}

/** A description list from pairs of a term and its description. */
export function list(pairs, properties = {}) {
    return h("dl", properties, pairs.map(([term, content]) => h("div", {}, h("dt", {}, term), h("dd", {}, content))));
}

function fill(element, properties, children) {
    for (const [name, value] of Object.entries(properties)) {
        if (name.startsWith("on")) {
            element.addEventListener(name.slice(2), value);
        } else if (value !== null && value !== false) {
            element.setAttribute(name, value === true ? "" : value);
        }
    }
    element.append(...children.flat().filter((child) => child !== null && child !== ""));
    return element;
}

const KNOWN = new Set(("math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover "
    + "munderover mfenced mtable mtr mtd mpadded mstyle menclose").split(" "));

const ATTRIBUTES = new Set(("display displaystyle fence form lspace linethickness mathvariant rspace scriptlevel "
    + "separator stretchy width").split(" "));

/** MathML given as text, copied element by element; anything not listed above is dropped. */
export function mathFrom(text) {
    const parsed = new DOMParser().parseFromString(text, "text/xml").querySelector("math");
    return parsed === null ? null : copy(parsed);
}

function copy(node) {
    const children = [...node.childNodes]
        .filter((child) => child.nodeType === Node.TEXT_NODE || KNOWN.has(child.localName))
        .map((child) => (child.nodeType === Node.TEXT_NODE ? child.data : copy(child)));
    const kept = [...node.attributes].filter(({ name }) => ATTRIBUTES.has(name));
    return m(node.localName, Object.fromEntries(kept.map(({ name, value }) => [name, value])), children);
}
