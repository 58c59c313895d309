// Numbers as text, the same as support/numbers.py: a test compares the two.

/** Four decimals, fewer for large numbers; 1.234e-7 or 1.234e21 where that would not fit. */
export function format(x) {
    if (x === null || x === undefined) return "–";
    if (Number.isNaN(x)) return "nan";
    if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
    const size = Math.abs(x);
    if (size === 0) return "0.0000"; // without the sign of -0
    if (size >= 1e-3 && size < 1e8) return x.toFixed(size < 1e5 ? 4 : size < 1e6 ? 3 : size < 1e7 ? 2 : 1);
    return x.toExponential(3).replace("+", "");
}

/** The same with a plus sign before positive numbers. */
export function signed(x) {
    const text = format(x);
    return x > 0 ? `+${text}` : text;
}

/** A number as JSON carries it: "NaN", "Infinity" and "-Infinity" are text there. */
export function decode(x) {
    return typeof x === "string" ? Number(x) : x;
}
