// Rasters of numbers as colours and contour lines. Creates no elements.
//
// The colour map diverges: orange for small or negative, blue for large or positive, the theme's
// background between them. Colour-blind readers can tell the two apart, and classes have shapes as well.

const MAPS = {
    light: { low: [224, 112, 16], middle: [250, 249, 247], high: [25, 113, 205] },
    dark: { low: [240, 138, 44], middle: [21, 28, 38], high: [74, 158, 255] },
};
const UNKNOWN = [128, 128, 128]; // for NaN

export const SHAPES = "circle square triangle diamond plus cross pentagon star wedge hexagon".split(" ");
const PALETTE = [
    ...[[224, 112, 16], [25, 113, 205], [34, 139, 87], [178, 58, 132], [122, 92, 0]],
    ...[[99, 76, 205], [192, 57, 43], [14, 128, 140], [110, 110, 110], [70, 100, 30]],
];

export function themeName() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

const pixel = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
const mix = (a, b, t) => a.map((x, i) => Math.round(x + (b[i] - x) * t));

/** 256 colours from low to high and one for NaN, as pixels; a `strength` below 1 makes them paler. */
export function divergingColours(strength = 1) {
    const { low, middle, high } = MAPS[themeName()];
    const colours = new Uint32Array(257);
    for (let i = 0; i < 256; i++) {
        const t = (i / 255) * 2 - 1;
        colours[i] = pixel(mix(middle, t < 0 ? low : high, Math.abs(t) ** 0.85 * strength));
    }
    colours[256] = pixel(UNKNOWN);
    return colours;
}

/** One colour per class, as pixels, mixed with the theme's background. */
export function classColours(strength) {
    const { middle } = MAPS[themeName()];
    return Uint32Array.from(PALETTE, (colour) => pixel(mix(middle, colour, strength)));
}

/** Fill pixels from `count`² values, the first row at the bottom; low and high get the first and last colour. */
export function paint(pixels, values, start, count, colours, low, high, place = 0) {
    const factor = 255 / (high - low);
    for (let row = 0; row < count; row++) {
        let from = start + row * count;
        let to = place + (count - 1 - row) * count;
        for (const end = from + count; from < end; from++, to++) {
            const level = (values[from] - low) * factor;
            pixels[to] = colours[level !== level ? 256 : level <= 0 ? 0 : level >= 255 ? 255 : level | 0];
        }
    }
}

/** Fill pixels from class numbers. */
export function paintClasses(pixels, values, count, colours) {
    for (let row = 0; row < count; row++) {
        for (let column = 0; column < count; column++) {
            const value = values[row * count + column];
            pixels[(count - 1 - row) * count + column] = colours[(value | 0) % colours.length];
        }
    }
}

const SURE = 6e-8; // the smallest difference from 1 in 32-bit floats

/** The logit of a probability: it changes smoothly where the probability jumps, so contours are not jagged. */
export function logit(p) {
    const inside = Math.min(1 - SURE, Math.max(SURE, p));
    return Math.log(inside / (1 - inside));
}

/**
 * The lines where the values cross a level, as an SVG path; `x` and `y` map grid positions to coordinates.
 * Between grid points, `straight(value)` is interpolated linearly.
 */
export function contour(values, count, level, x, y, straight = (value) => value) {
    const side = count + 2;
    const field = widened(values, count, straight);
    const edge = straight(level);
    const at = (a, b) => (edge - a) / (b - a);
    const point = ([column, row]) => `${x(column - 1).toFixed(1)} ${y(row - 1).toFixed(1)}`;
    let path = "";
    for (let row = 0; row < side - 1; row++) {
        for (let column = 0; column < side - 1; column++) {
            const i = row * side + column;
            const a = field[i], b = field[i + 1], c = field[i + side + 1], d = field[i + side];
            const kind = (a > edge) | ((b > edge) << 1) | ((c > edge) << 2) | ((d > edge) << 3);
            if (kind === 0 || kind === 15) continue;
            const points = [];
            if (a > edge !== b > edge) points.push([column + at(a, b), row]);
            if (b > edge !== c > edge) points.push([column + 1, row + at(b, c)]);
            if (c > edge !== d > edge) points.push([column + at(d, c), row + 1]);
            if (d > edge !== a > edge) points.push([column, row + at(a, d)]);
            // Four crossings make two lines, paired so that the corners above the level are not connected.
            if (kind === 5) points.unshift(points.pop());
            for (let k = 0; k + 1 < points.length; k += 2) path += `M${point(points[k])}L${point(points[k + 1])}`;
        }
    }
    return path;
}

/** Adds an extrapolated row and column on each side, so that contours reach the frame. */
function widened(values, count, straight) {
    const side = count + 2;
    const field = new Float64Array(side * side);
    for (let row = 0; row < count; row++) {
        const start = (row + 1) * side;
        for (let column = 0; column < count; column++) {
            field[start + column + 1] = straight(values[row * count + column]);
        }
        field[start] = 2 * field[start + 1] - field[start + 2];
        field[start + side - 1] = 2 * field[start + side - 2] - field[start + side - 3];
    }
    for (let column = 0; column < side; column++) {
        const last = (side - 1) * side + column;
        field[column] = 2 * field[side + column] - field[2 * side + column];
        field[last] = 2 * field[last - side] - field[last - 2 * side];
    }
    return field;
}

/** Averages each value with its neighbours, because the outline of a class would otherwise have steps. */
function blurred(values, count) {
    const near = (i) => Math.min(count - 1, Math.max(0, i));
    const sum = (from, place) => {
        const to = new Float32Array(from.length);
        for (let row = 0; row < count; row++) {
            for (let column = 0; column < count; column++) {
                let total = 0;
                for (let k = -2; k <= 2; k++) total += from[place(row, column, k)];
                to[row * count + column] = total / 5;
            }
        }
        return to;
    };
    const across = sum(values, (row, column, k) => row * count + near(column + k));
    return sum(across, (row, column, k) => near(row + k) * count + column);
}

/** The outlines between classes: each class against all others. */
export function classContours(values, count, classes, x, y) {
    const inside = new Float32Array(count * count);
    let path = "";
    for (let k = 1; k < classes; k++) {
        for (let i = 0; i < inside.length; i++) inside[i] = values[i] === k ? 1 : 0;
        path += contour(blurred(inside, count), count, 0.5, x, y);
    }
    return path;
}

const UP = -Math.PI / 2;
const POLYGONS = { // the size, the number of corners and the direction of the first
    square: [1.25, 4, Math.PI / 4], triangle: [1.3, 3, UP], diamond: [1.3, 4, 0],
    pentagon: [1.15, 5, UP], wedge: [1.3, 3, -UP], hexagon: [1.15, 6, 0],
};

/** The outline of a class's marker around a point, as SVG path data (which Path2D also accepts). */
export function shape(kind, x, y, r) {
    const name = SHAPES[kind % SHAPES.length];
    if (name === "circle") return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
    if (name === "plus") return bars(x, y, r * 1.2, r * 0.42, 0);
    if (name === "cross") return bars(x, y, r * 1.25, r * 0.42, Math.PI / 4);
    if (name === "star") return polygon(x, y, r * 1.4, 10, UP, r * 0.63);
    const [size, corners, turn] = POLYGONS[name];
    return polygon(x, y, r * size, corners, turn);
}

const closed = (places) => `M${places.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z`;

function polygon(x, y, r, corners, turn, inner = r) {
    return closed(Array.from({ length: corners }, (_, i) => {
        const angle = turn + (2 * Math.PI * i) / corners;
        const radius = i % 2 ? inner : r;
        return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    }));
}

/** Two crossing bars. */
function bars(x, y, long, short, turn) {
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    const quarter = [[-short, -long], [short, -long], [short, -short]];
    const places = [0, 1, 2, 3].flatMap((k) => quarter.map(([u, v]) => [[u, v], [-v, u], [-u, -v], [v, -u]][k]));
    return closed(places.map(([u, v]) => [x + u * cos - v * sin, y + u * sin + v * cos]));
}

/** About `count` multiples of 1, 2 or 5 times a power of ten, from low to high. */
export function ticks(low, high, count) {
    const raw = (high - low) / count;
    if (!(raw > 0) || !Number.isFinite(raw)) return [];
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * ([1, 2, 5].find((k) => k * power >= raw) ?? 10);
    const found = [];
    for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) {
        found.push(Number((k * step).toPrecision(12)));
    }
    return found;
}

/** A number on an axis or a scale as text, to 6 digits at most. */
export function tickText(x) {
    const size = Math.abs(x);
    const short = size === 0 || (size >= 1e-3 && size < 1e5);
    const rounded = Number(x.toPrecision(6));
    return (short ? String(rounded) : rounded.toExponential().replace("+", "")).replaceAll("-", "−");
}

/** Rounds up to 1, 2 or 5 times a power of ten, so that a scale rarely changes. */
export function roundUp(x) {
    if (!(x > 0) || !Number.isFinite(x)) return 1;
    const power = 10 ** Math.floor(Math.log10(x));
    return Number(((([1, 2, 5].find((k) => k * power >= x * 0.999999)) ?? 10) * power).toPrecision(6));
}
