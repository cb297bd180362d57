// An open file: its state on the server, its display filter and the marks.

/**
 * Dispatches `file` (it grew or ended), `complete` (all of it was read, so that names are final), `filter` (another filter, or
 * more matches), `restart` (the server that knew the filters is gone), `marks`, and the names of results that changed:
 * `devices`, `series`, `verdicts`, `incidents`, `plots`, `products`.
 */
export class Session extends EventTarget {
    #filterText = '';
    #starting;
    /** The filter whose matches are shown; `undefined` shows all packets. */
    filter;
    marks = new Set();

    constructor(api, file) {
        super();
        this.api = api;
        this.file = file;
    }

    get id() {
        return this.file.id;
    }

    /** Number of rows of the packet list. */
    get rows() {
        return this.filter ? this.filter.matches : this.file.packets;
    }

    /** Text of the display filter. */
    get filterText() {
        return this.#filterText;
    }

    update(file) {
        const wasRunning = this.file.state === 'running';
        this.file = file;
        this.#changed('file');
        if (wasRunning && file.state === 'complete') this.#changed('complete');
    }

    /** A background result has changed. */
    progressed(progress) {
        this.#changed(progress.what);
    }

    filterProgressed(filter) {
        if (filter.id !== this.filter?.id) return;
        this.filter = { ...this.filter, ...filter };
        this.#changed('filter');
    }

    /** Shows the packets that match; throws an `ApiError` whose detail has the position of the fault. */
    applyFilter(text) {
        const expression = text.trim();
        if (this.#starting?.expression === expression) return this.#starting.done;
        const starting = { expression };
        this.#starting = starting;
        starting.done = this.#start(starting);
        return starting.done;
    }

    async #start(starting) {
        const { expression } = starting;
        try {
            const filter = expression === '' ? undefined : await this.api.startFilter(this.id, expression);
            if (this.#starting !== starting) return this.#forget(filter);
            this.#forget(this.filter);
            this.filter = filter;
            this.#filterText = expression;
            this.#changed('filter');
            if (filter) this.#poll(filter.id);
        } finally {
            if (this.#starting === starting) this.#starting = undefined;
        }
    }

    /** Polls the progress until the filter is complete, because its events may arrive before its id is known. */
    async #poll(id) {
        while (this.filter?.id === id && this.filter.state === 'running') {
            try {
                this.filterProgressed(await this.api.filter(this.id, id));
            } catch {
                return;
            }
            await new Promise(resolve => setTimeout(resolve, 400));
        }
    }

    /** Applies the filter again, because the server that knew it is gone. */
    async restore() {
        this.filter = undefined;
        this.#changed('restart');
        try {
            await this.applyFilter(this.#filterText);
        } catch {
            this.#changed('filter');
        }
    }

    /** Row of the list for a packet: the packet itself or the first match after it; `undefined` without one. */
    async indexOf(number) {
        if (this.filter) {
            const { index } = await this.api.filter(this.id, this.filter.id, number);
            return index ?? undefined;
        }
        try {
            return (await this.api.packet(this.id, number)).row.index;
        } catch (error) {
            if (error.status === 404) return undefined;
            throw error;
        }
    }

    toggleMark(number) {
        if (!this.marks.delete(number)) this.marks.add(number);
        this.#changed('marks');
    }

    /** The next or previous mark from a packet on, around the end. */
    markFrom(number, direction) {
        const sorted = [...this.marks].sort((a, b) => a - b);
        return direction > 0
            ? sorted.find(mark => mark > number) ?? sorted[0]
            : sorted.findLast(mark => mark < number) ?? sorted.at(-1);
    }

    close() {
        this.#forget(this.filter);
    }

    #forget(filter) {
        if (filter) this.api.endFilter(this.id, filter.id).catch(() => {});
    }

    #changed(name) {
        this.dispatchEvent(new Event(name));
    }
}

/** Adds a listener and returns a function that removes it. */
export function subscribe(target, name, action) {
    target.addEventListener(name, action);
    return () => target.removeEventListener(name, action);
}
