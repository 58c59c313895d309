// A picture and its layout as SVG, with zoom, pan and keyboard navigation.
//
// Draws what it is told to show; stepper.js decides what is computed, and when.

import { h, list, s } from "../page/dom.js";
import { format } from "../page/numbers.js";
import { within } from "./engine.js";
import { argument, formula, names } from "./naming.js";
import { isFirst, whyGradient, whyValue } from "./nans.js";

const PADDING = 12; // inside a box
const LETTER = 7.4; // the width of an average letter of a name
const SMALLEST = 0.15;
const LARGEST = 4;
const READABLE = 0.6; // automatic fitting does not shrink a graph below this scale
const FACTOR = 1.25;
const MARGIN = 24; // around what is scrolled into view
const LEVELS = [[], [], [0.3, 0.6, 0.86], [0.24, 0.48, 0.7, 0.91]]; // heights of the lines, by count

export class Graph {
    /** Replaces `svg` in the document with the drawing, zoom buttons and tooltips. */
    constructor(svg, picture, layout, known = names(picture)) {
        this.svg = svg;
        this.picture = picture;
        this.layout = layout;
        this.names = known;
        this.zoom = 1;
        this.state = null;
        this.focused = picture.nodes.length - 1;
        this.frame();
        this.draw();
        this.listen();
        this.least = READABLE; // the smallest automatic scale; null once the user has chosen one
        this.watcher = new ResizeObserver(() => this.least !== null && this.fit(this.least));
        this.watcher.observe(this.area);
    }

    destroy() {
        this.watcher.disconnect();
    }

    /**
     * Show a state: `data`, `grad`, `share` and `partial` with null for unknown numbers, and
     * `current`, the current step, or null. `asking` hides the number of the current step.
     */
    show(state) {
        this.state = state;
        this.picture.nodes.forEach((node) => this.showNode(node));
        this.picture.edges.forEach((edge) => this.showEdge(edge));
        this.showFlow();
        if (!this.tip.hidden) this.explain(this.explained);
    }

    // --- building --------------------------------------------------------------------------------

    frame() {
        const button = (label, text, action) => (
            h("button", { type: "button", "aria-label": label, title: label, onclick: action }, text));
        this.area = h("div", { class: "area" });
        this.tip = h("div", { class: "tip", role: "tooltip", hidden: true });
        this.element = h("div", { class: "chainrule-graph" }, this.area,
            h("div", { class: "zoom", role: "group", "aria-label": "Size of the graph" },
                button("Smaller", "−", () => this.scale(1 / FACTOR)),
                button("Fit to width", "Fit", () => this.fit()),
                button("Larger", "+", () => this.scale(FACTOR))),
            this.tip);
        this.svg.replaceWith(this.element);
        this.area.append(this.svg);
    }

    draw() {
        const { width, height } = this.layout;
        const { nodes, edges } = this.picture;
        this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
        this.svg.setAttribute("role", "group");
        this.svg.setAttribute("aria-label", `Graph of ${nodes.length} nodes and ${edges.length} edges`);
        this.edges = edges.map((edge) => this.drawEdge(edge));
        this.nodes = nodes.map((node) => this.drawNode(node));
        this.flow = s("g", { class: "flow", "aria-hidden": "true" });
        this.svg.append(
            s("g", { class: "edges" }, this.edges.map((each) => each.group)),
            s("g", { class: "nodes" }, this.nodes.map((each) => each.group)), this.flow);
    }

    drawEdge(edge) {
        const points = this.layout.edges[edge.id];
        const path = curve(points);
        const [x, y] = points.at(-1);
        const events = {
            onpointerenter: (event) => this.explain({ edge: edge.id }, event), onpointerleave: () => this.explain(null),
        };
        const group = s("g", { class: "edge", "data-edge": edge.id, ...events },
            s("path", { class: "hit", d: path }),
            s("path", { class: "line", d: path }),
            s("path", { class: "head", d: arrow(x, y, -1) }));
        return { group, path, points };
    }

    drawNode(node) {
        const { x, y, width, height } = this.layout.nodes[node.id];
        const output = this.picture.outputs.includes(node.id);
        const radius = { leaf: Math.min(height / 2, 22), constant: 3 }[node.kind] ?? 9;
        const constant = node.kind === "constant"; // shows only its number
        const right = width - PADDING;
        const text = (className, at, y, content, anchor = "start") => (
            s("text", { class: className, x: at, y, "text-anchor": anchor }, content));
        const name = this.names[node.id];
        const symbol = node.kind === "operation" && node.symbol !== name ? node.symbol : "";
        const room = Math.floor((width - 2 * PADDING) / LETTER);
        const shown = shorten(name || "constant", room - (symbol ? symbol.length + 1 : 0));
        const captions = captionsOf(node);
        const hasMany = isFolded(node) && node.data === null; // without a value there is room for the count
        const level = (i) => LEVELS[captions.length][i] * height;
        const fields = captions.map((caption, i) => (
            text(`number ${caption}`, right, level(i + 1), caption === "nodes" ? count(node) : "", "end")));
        const value = constant
            ? text("number value", width / 2, 0.66 * height, "", "middle")
            : fields[captions.indexOf("value")];
        const grad = constant ? null : fields[captions.indexOf("grad")];
        const properties = {
            class: `node ${node.kind}${output ? " output" : ""}`, transform: `translate(${x} ${y})`,
            tabindex: node.id === this.focused ? "0" : "-1", role: "img", "data-node": node.id,
            onpointerenter: (event) => this.explain({ node: node.id }, event), onpointerleave: () => this.explain(null),
            onfocus: () => this.explain({ node: node.id }), onblur: () => this.explain(null),
        };
        const group = s("g", properties,
            s("rect", { class: "ring", x: -4.5, y: -4.5, width: width + 9, height: height + 9, rx: radius + 4.5 }),
            s("rect", { class: "box", width, height, rx: radius }),
            output ? s("rect", { class: "inner", x: 3, y: 3, width: width - 6, height: height - 6, rx: radius - 3 }) : null,
            constant ? value : text("name", PADDING, level(0), shown),
            constant ? null : text("symbol", right, level(0), shorten(symbol, room - 2), "end"),
            captions.flatMap((caption, i) => [
                text("caption", PADDING, level(i + 1), hasMany && i === 0 ? `${count(node)} nodes` : caption), fields[i],
            ]));
        return { group, value, grad };
    }

    // --- showing ---------------------------------------------------------------------------------

    showNode(node) {
        const { data, grad, current, asking } = this.state;
        const drawn = this.nodes[node.id];
        const isCurrent = current !== null && current.node === node.id;
        const forward = isCurrent && current.kind === "forward";
        drawn.group.classList.toggle("pending", data[node.id] === null && !isCurrent && !isFolded(node));
        drawn.group.classList.toggle("current", isCurrent);
        drawn.group.classList.toggle("nan", isFirst(this.picture, data, node.id) && !(forward && asking));
        drawn.group.classList.toggle("forward", forward);
        drawn.group.classList.toggle("backward", isCurrent && !forward);
        const value = forward && asking ? "?" : format(data[node.id]);
        drawn.value.textContent = value;
        let label = `${this.names[node.id] || "constant"}${this.expression(node)}, value ${value}`;
        if (drawn.grad) {
            const gradient = isCurrent && !forward && asking ? "?" : format(grad[node.id]);
            drawn.grad.textContent = gradient;
            label += `, gradient ${gradient}`;
        }
        drawn.group.setAttribute("aria-label", label);
    }

    showEdge(edge) {
        const { data, share, current } = this.state;
        const isCurrent = current !== null && current.edge === edge.id;
        const computed = current !== null && current.kind === "forward" && current.node === edge.target;
        const { group } = this.edges[edge.id];
        const folded = isFolded(this.picture.nodes[edge.target]);
        group.classList.toggle("pending", data[edge.target] === null && !computed && !folded);
        group.classList.toggle("feeding", computed);
        group.classList.toggle("done", share[edge.id] !== null && !isCurrent);
        group.classList.toggle("current", isCurrent);
    }

    /** Shows the contribution on the edge of the current step. */
    showFlow() {
        const { current, share, asking } = this.state;
        this.flow.replaceChildren();
        if (current === null || typeof current.edge !== "number") return;
        const { path, points } = this.edges[current.edge];
        const [x, y] = points[0];
        const [middle, at] = middleOf(points);
        const level = Math.abs(y - points.at(-1)[1]) < 40 ? at - 20 : at; // above a line that is almost horizontal
        const sign = current.first ? "" : "+= ";
        const text = asking ? `${sign}?` : current.cut ? "not taken" : sign + format(share[current.edge]);
        const width = 7.6 * text.length + 18;
        this.flow.append(
            s("path", { class: current.cut ? "stream cut" : "stream", d: path }),
            s("path", { class: "tip-back", d: arrow(x, y, 1) }),
            s("rect", { class: "pill", x: middle - width / 2, y: level - 12, width, height: 24, rx: 12 }),
            s("text", { class: "number share", x: middle, y: level + 4.5, "text-anchor": "middle" }, text));
    }

    expression(node) {
        if (node.inputs.some((id) => isFolded(this.picture.nodes[id]))) {
            return ""; // folding loses the order of arguments
        }
        const inputs = node.inputs.map((id) => argument(this.names, this.state.data, id));
        return inputs.length > 0 ? ` = ${formula(node, inputs)}` : "";
    }

    /** A tooltip with all digits of a node or an edge. */
    explain(what, event = null) {
        this.explained = what;
        this.tip.hidden = what === null || this.state === null;
        if (this.tip.hidden) return;
        const rows = "node" in what ? this.nodeRows(what.node) : this.edgeRows(what.edge);
        this.tip.replaceChildren(list(rows));
        const frame = this.element.getBoundingClientRect();
        const group = "node" in what ? this.nodes[what.node].group : this.edges[what.edge].group;
        const box = group.getBoundingClientRect();
        const tip = this.tip.getBoundingClientRect();
        const at = event && "edge" in what ? event.clientX : box.left + box.width / 2;
        const left = Math.min(Math.max(at - frame.left - tip.width / 2, 4), frame.width - tip.width - 4);
        const below = box.bottom - frame.top + 8;
        this.tip.style.left = `${Math.max(left, 0)}px`;
        this.tip.style.top = `${Math.min(below, frame.height + 8)}px`;
    }

    nodeRows(id) {
        const { data, grad, current, asking } = this.state;
        const node = this.picture.nodes[id];
        const hidden = asking && current.node === id ? current.kind : "";
        const value = hidden === "forward" ? "?" : full(data[id]);
        const rows = [[`${this.names[id] || "constant"}${this.expression(node)}`, ""], ["value", value]];
        const whys = hidden === "forward" ? [] : [whyValue(this.picture, data, id, this.names)];
        if (node.kind !== "constant") {
            const asked = hidden !== "" && hidden !== "forward";
            rows.push(["gradient", asked ? "?" : full(grad[id])]);
            if (!asked && whys[0] === null) whys.push(whyGradient(this.picture, this.state, id, this.names));
        }
        rows.push(...whys.filter((why) => why != null).map((why) => ["why", why]));
        if (node.inside) {
            rows.push(...this.parameterRows(node));
        } else if (node.count > 1) {
            rows.push(["nodes", count(node)]);
        }
        return rows;
    }

    /** The parameters inside a box: values, and gradients once the box's own gradient is known. */
    parameterRows(node) {
        const { data, grad } = this.state;
        const args = node.inputs.map((id) => data[id]);
        if (args.includes(null)) return [];
        const found = within(node, args, grad[node.id] ?? 1);
        const leaves = node.inside.nodes.filter(({ id, kind }) => kind === "leaf" && id >= args.length);
        return leaves.map(({ id, label }) => {
            const gradient = grad[node.id] === null ? null : found.grad[id];
            return [label, `${format(found.data[id])}, gradient ${format(gradient)}`];
        });
    }

    edgeRows(id) {
        const { partial, share, current, asking } = this.state;
        const edge = this.picture.edges[id];
        const hidden = asking && current.edge === id;
        const target = this.names[edge.target];
        const source = argument(this.names, this.state.data, edge.source);
        return [
            [`from ${source} to ${target}`, ""],
            ["local derivative", hidden ? "?" : full(share[id] === null ? null : partial[id])],
            ["flows back", hidden ? "?" : full(share[id])],
        ];
    }

    // --- moving ----------------------------------------------------------------------------------

    listen() {
        this.svg.addEventListener("keydown", (event) => this.key(event));
        this.area.addEventListener("wheel", (event) => {
            if (event.ctrlKey || event.metaKey) {
                event.preventDefault();
                this.scale(Math.exp(-event.deltaY / 300), event);
            }
        }, { passive: false });
        this.area.addEventListener("pointerdown", (event) => this.drag(event));
    }

    key(event) {
        const { key, shiftKey } = event;
        const nodes = this.picture.nodes.length;
        const actions = {
            "+": () => this.scale(FACTOR),
            "=": () => this.scale(FACTOR),
            "-": () => this.scale(1 / FACTOR),
            "0": () => this.fit(),
            ArrowUp: () => (shiftKey ? this.area.scrollBy(0, -60) : this.focus(Math.max(this.focused - 1, 0))),
            ArrowDown: () => (shiftKey ? this.area.scrollBy(0, 60) : this.focus(Math.min(this.focused + 1, nodes - 1))),
        };
        if (shiftKey) {
            actions.ArrowLeft = () => this.area.scrollBy(-60, 0);
            actions.ArrowRight = () => this.area.scrollBy(60, 0);
        }
        if (!event.ctrlKey && !event.metaKey && !event.altKey && Object.hasOwn(actions, key)) {
            event.preventDefault();
            event.stopPropagation();
            actions[key]();
        }
    }

    focus(id) {
        this.nodes[this.focused].group.setAttribute("tabindex", "-1");
        this.focused = id;
        this.nodes[id].group.setAttribute("tabindex", "0");
        this.nodes[id].group.focus({ preventScroll: true });
        this.reveal(id);
    }

    /** Pan with the mouse; touch scrolls natively. */
    drag(start) {
        if (start.pointerType !== "mouse" || start.button !== 0) return;
        const { scrollLeft, scrollTop } = this.area;
        const move = (event) => {
            this.area.scrollLeft = scrollLeft - (event.clientX - start.clientX);
            this.area.scrollTop = scrollTop - (event.clientY - start.clientY);
        };
        const end = () => {
            window.removeEventListener("pointermove", move);
            window.removeEventListener("pointerup", end);
            this.area.classList.remove("dragged");
        };
        this.area.classList.add("dragged");
        window.addEventListener("pointermove", move);
        window.addEventListener("pointerup", end);
    }

    /** Fits the graph to the width, but keeps it readable. */
    fit(least = SMALLEST) {
        const room = this.area.clientWidth;
        if (room > 0) {
            this.resize(Math.max(Math.min(room / this.layout.width, 1.15), least));
            this.least = least;
        }
    }

    /** Zooms by a factor, around the pointer if there is one. */
    scale(factor, event = null) {
        const box = this.area.getBoundingClientRect();
        const x = event ? event.clientX - box.left : box.width / 2;
        const y = event ? event.clientY - box.top : box.height / 2;
        const before = this.zoom;
        const left = this.area.scrollLeft + x;
        const top = this.area.scrollTop + y;
        this.resize(before * factor);
        this.area.scrollLeft = left * this.zoom / before - x;
        this.area.scrollTop = top * this.zoom / before - y;
        this.least = null;
    }

    resize(zoom) {
        this.zoom = Math.min(Math.max(zoom, SMALLEST), LARGEST);
        this.svg.style.width = `${this.layout.width * this.zoom}px`;
        this.svg.style.height = `${this.layout.height * this.zoom}px`;
    }

    /** Scroll a node into view, and another one too if both fit. */
    reveal(id, other = id) {
        const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.area;
        const near = (position, size, start, room) => {
            const from = position * this.zoom - MARGIN;
            const to = (position + size) * this.zoom + MARGIN;
            return from < start ? from : to > start + room ? to - room : start;
        };
        let [left, top] = [scrollLeft, scrollTop];
        for (const { x, y, width, height } of [this.layout.nodes[other], this.layout.nodes[id]]) {
            left = near(x, width, left, clientWidth);
            top = near(y, height, top, clientHeight);
        }
        if (left !== scrollLeft || top !== scrollTop) {
            const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
            this.area.scrollTo({ left, top, behavior: still ? "auto" : "smooth" });
        }
    }
}

/** Whether a box stands for nodes that cannot be recomputed. */
export function isFolded(node) {
    return node.kind === "group" && !node.inside;
}

/** Which numbers a box shows under its name. */
function captionsOf(node) {
    if (node.kind === "constant") return [];
    return isFolded(node) && node.data !== null ? ["nodes", "value", "grad"] : ["value", "grad"];
}

/** How many nodes a box stands for, formatted as in Python. */
function count(node) {
    return node.count.toLocaleString("en-US");
}

/** A smooth path through points, horizontal at each of them. */
function curve(points) {
    const [[x0, y0], ...rest] = points;
    let text = `M${x0} ${y0}`;
    let [fromX, fromY] = [x0, y0];
    for (const [x, y] of rest) {
        const middle = (fromX + x) / 2;
        text += ` C${middle} ${fromY} ${middle} ${y} ${x} ${y}`;
        [fromX, fromY] = [x, y];
    }
    return text;
}

function middleOf(points) {
    const i = Math.floor((points.length - 1) / 2);
    const [a, b] = [points[i], points[Math.min(i + 1, points.length - 1)]];
    return points.length % 2 === 1 ? a : [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

/** The head of an arrow whose point is at x, y; direction -1 points to the right, 1 to the left. */
function arrow(x, y, direction) {
    return `M${x} ${y} l${9 * direction} -4.5 v9 z`;
}

function shorten(text, room) {
    const letters = [...text];
    return letters.length <= room ? text : `${letters.slice(0, Math.max(room - 1, 1)).join("")}…`;
}

/** A number with all its digits. */
function full(x) {
    return x === null ? "–" : String(x).replace("-", "−").replace("e-", "e−");
}
