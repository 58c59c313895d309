// Syntax highlighting for Python: strings, comments, keywords and names.

import { h } from "../../viz/web/static/page/dom.js";

const WORDS = "False None True and as assert async await break class continue def del elif else except finally "
    + "for from global if import in is lambda nonlocal not or pass raise return try while with yield";
const TOKEN = new RegExp([
    /(?<comment>#[^\n]*)/,
    /(?<string>(?:\b[rbfu]{1,2})?(?:"""[^]*?(?:"""|$)|'{3}[^]*?(?:'{3}|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
    /(?<name>(?<=\b(?:def|class)\s+)\w+)/,
    new RegExp(`\\b(?<keyword>${WORDS.replaceAll(" ", "|")})\\b`),
    /(?<number>\b\d(?:[\w.]|(?<=e)[+-])*)/,
].map(({ source }) => source).join("|"), "g");

/** The text as nodes for a <code>. */
export function highlighted(text) {
    const nodes = [];
    let end = 0;
    for (const found of text.matchAll(TOKEN)) {
        const [kind] = Object.entries(found.groups).find(([, part]) => part !== undefined);
        nodes.push(text.slice(end, found.index), h("span", { class: `py-${kind}` }, found[0]));
        end = found.index + found[0].length;
    }
    return [...nodes, text.slice(end)].filter((node) => node !== "");
}
