// The losses of all epochs, and a coarser copy that is quick to draw however many there are.

const MOST = 2048; // buckets; when there would be more, each becomes twice as large

export class Losses {
    constructor() {
        this.all = [];
        this.#rebuild();
    }

    get length() {
        return this.all.length;
    }

    /** The loss of an epoch, counted from 1. */
    at(epoch) {
        return this.all[epoch - 1];
    }

    /** Adds the losses of the epochs after `first`, replacing those already present. */
    add(first, losses) {
        while (this.all.length < first) this.#push(NaN);
        for (const [i, loss] of losses.entries()) {
            if (first + i < this.all.length) this.all[first + i] = loss;
            else this.#push(loss);
        }
    }

    /** Drops the losses after an epoch. */
    cut(epoch) {
        if (epoch >= this.all.length) return;
        this.all.length = epoch;
        this.#rebuild();
    }

    #rebuild() {
        const { all } = this;
        this.all = [];
        this.size = 1; // epochs in a bucket
        this.low = [];
        this.high = [];
        for (const loss of all) this.#push(loss);
    }

    #push(loss) {
        const bucket = Math.floor(this.all.length / this.size);
        this.all.push(loss);
        if (bucket === this.low.length) {
            this.low.push(Infinity);
            this.high.push(-Infinity);
        }
        if (loss < this.low[bucket]) this.low[bucket] = loss;
        if (loss > this.high[bucket]) this.high[bucket] = loss;
        if (this.low.length > MOST) this.#merge();
    }

    #merge() {
        const pairs = (list, pick) => {
            const firsts = list.filter((_, i) => i % 2 === 0);
            return firsts.map((first, i) => pick(first, list[2 * i + 1] ?? first));
        };
        this.size *= 2;
        this.low = pairs(this.low, Math.min);
        this.high = pairs(this.high, Math.max);
    }
}
