// The WebSocket of a run: commands go out, JSON messages and binary frames come back.
//
// Every frame is decoded, because each carries losses. Only the newest is drawn, when the browser is
// about to paint. After losing the connection, it tries to reconnect at growing intervals.

import { doubt, socketTo } from "../shared/requests.js";

const DELAYS = [500, 1000, 2000, 4000, 8000]; // milliseconds

/** A binary frame: its header, with each section as a Float32Array. */
export function decodeFrame(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    let offset = 4 * Math.ceil((4 + length) / 4);
    for (const [name, count] of head.sections) {
        head[name] = new Float32Array(buffer, offset, count);
        offset += 4 * count;
    }
    return head;
}

export class Connection {
    /** `on`: open(again), closed(seconds), message(object), arrived(frame), draw(frame). */
    constructor(on) {
        this.on = on;
        this.socket = null;
        this.failures = 0;
        this.newest = null;
        this.timer = null;
    }

    get isOpen() {
        return this.socket?.readyState === WebSocket.OPEN;
    }

    open() {
        if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
        clearTimeout(this.timer);
        const socket = socketTo("/train");
        socket.binaryType = "arraybuffer";
        socket.onopen = () => {
            const again = this.failures > 0;
            this.failures = 0;
            this.on.open(again);
        };
        socket.onclose = () => this.#lost();
        socket.onmessage = ({ data }) => (typeof data === "string" ? this.#text(data) : this.#frame(data));
        this.socket = socket;
    }

    send(message) {
        if (this.isOpen) this.socket.send(JSON.stringify(message));
    }

    /** Reconnects at once, because the studio is known to be back. */
    hurry() {
        if (this.failures > 0) this.open();
    }

    /** Closes the connection for good, without another attempt. */
    close() {
        clearTimeout(this.timer);
        if (!this.socket) return;
        this.socket.onclose = this.socket.onmessage = null;
        this.socket.close();
        this.socket = this.newest = null;
    }

    #lost() {
        doubt();
        const delay = DELAYS[Math.min(this.failures, DELAYS.length - 1)];
        this.failures += 1;
        this.newest = null;
        this.on.closed(delay / 1000);
        this.timer = setTimeout(() => this.open(), delay);
    }

    #text(data) {
        const message = JSON.parse(data);
        if (message.type === "ready") this.newest = null; // from the previous run
        this.on.message(message);
    }

    #frame(data) {
        const frame = decodeFrame(data);
        if (!this.on.arrived(frame)) return;
        if (this.newest === null) requestAnimationFrame(() => this.#draw());
        this.newest = frame;
    }

    #draw() {
        const frame = this.newest;
        this.newest = null;
        if (frame) this.on.draw(frame);
    }
}
