// The time range shown by ladder and plots, kept in the address.

const shortest = 1e-6;

/** The visible time range of a file: `from` and `to` of the state, or the whole file without them. */
export class TimeWindow {
    constructor(state, session) {
        this.state = state;
        this.session = session;
    }

    get whole() {
        return [0, Math.max(this.session.file.duration, 1e-3)];
    }

    get range() {
        const [, end] = this.whole;
        const from = this.state.number('from') ?? 0;
        const to = this.state.number('to') ?? end;
        return to - from >= shortest ? [from, to] : [0, end];
    }

    /** Shows a time range, which stays inside the file except for a margin. */
    set(from, to) {
        const [, end] = this.whole;
        const length = Math.min(Math.max(to - from, shortest), end * 1.1);
        const margin = Math.min(length, end) * 0.05;
        const start = Math.min(Math.max(from, -margin), Math.max(end + margin - length, -margin));
        if (start <= 0 && start + length >= end) return this.showAll();
        const digits = Math.min(15, Math.max(6, Math.ceil(Math.log10(end / length)) + 6));
        this.state.set({ from: Number(start.toPrecision(digits)), to: Number((start + length).toPrecision(digits)) });
    }

    showAll() {
        this.state.set({ from: undefined, to: undefined });
    }

    /** Zooms by a factor and keeps a time in its place. */
    zoom(factor, around) {
        const [from, to] = this.range;
        const centre = around ?? (from + to) / 2;
        this.set(centre - (centre - from) * factor, centre + (to - centre) * factor);
    }

    /** Moves by a fraction of the visible range. */
    pan(part) {
        const [from, to] = this.range;
        this.set(from + part * (to - from), to + part * (to - from));
    }

    get isAll() {
        return this.state.get('from') === '' && this.state.get('to') === '';
    }
}
