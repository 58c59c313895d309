// Numbers as text for people: four decimals, an exponent where these would say nothing.

const SMALLEST = 1e-3;
const LARGEST = 1e6;

/** A number as it is shown; null, which is not known yet, is a dash. */
export function format(x) {
    if (x === null || x === undefined) {
        return "–";
    }
    if (Number.isNaN(x)) {
        return "NaN";
    }
    const size = Math.abs(x);
    const sign = x < 0 ? "−" : "";
    if (size === Infinity) {
        return sign + "∞";
    }
    if (size !== 0 && (size < SMALLEST || size >= LARGEST)) {
        return sign + size.toExponential(3).replace("-", "−").replace("+", "");
    }
    return sign + size.toFixed(4);
}

/** A number of a picture: JSON has no infinity and no NaN, so they come as text. */
export function decode(x) {
    return typeof x === "string" ? Number(x) : x;
}
