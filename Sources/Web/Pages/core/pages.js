// A cache of the pages of a long list, which loads what is visible and forgets what is far away.

const pageSize = 100;
const capacity = 60;

export class PageCache {
    #pages = new Map();
    #loading = new Map();
    #load;
    #onLoaded;
    #onFailed;

    /**
     * `load(first, count, signal)` returns the rows. `onLoaded(first, count)` is called when they are loaded,
     * `onFailed(error)` when they cannot be loaded.
     */
    constructor(load, { onLoaded, onFailed }) {
        this.#load = load;
        this.#onLoaded = onLoaded;
        this.#onFailed = onFailed;
    }

    /** The row at an index, if its page is loaded. */
    row(index) {
        return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize];
    }

    /** Loads the pages of a range and gives up loading others. */
    want(first, count) {
        if (count === 0) return;
        const low = Math.floor(first / pageSize);
        const high = Math.floor((first + count - 1) / pageSize);
        for (const [page, controller] of this.#loading) {
            if (page < low - 1 || page > high + 1) this.#giveUp(page, controller);
        }
        for (let page = low; page <= high; page += 1) this.#request(page);
    }

    /** Forgets rows from an index on, because there may be more or others now. */
    invalidate(from = 0) {
        const low = Math.floor(from / pageSize);
        for (const page of [...this.#pages.keys()]) {
            if (page >= low) this.#pages.delete(page);
        }
        for (const [page, controller] of this.#loading) {
            if (page >= low) this.#giveUp(page, controller);
        }
    }

    #giveUp(page, controller) {
        controller.abort();
        this.#loading.delete(page);
    }

    /** The row at an index, loaded if necessary; `undefined` past the end. */
    async fetch(index) {
        const present = this.row(index);
        if (present) return present;
        const page = Math.floor(index / pageSize);
        await this.#request(page);
        return this.row(index);
    }

    async #request(page) {
        const known = this.#pages.get(page);
        if (known) {
            // The order of a Map is that of insertion: the oldest use comes first.
            this.#pages.delete(page);
            this.#pages.set(page, known);
            return;
        }
        const controller = this.#loading.get(page) ?? this.#start(page);
        await controller.done;
    }

    #start(page) {
        const controller = new AbortController();
        this.#loading.set(page, controller);
        controller.done = this.#finish(page, controller);
        return controller;
    }

    async #finish(page, controller) {
        try {
            const rows = await this.#load(page * pageSize, pageSize, controller.signal);
            if (controller.signal.aborted) return;
            this.#pages.set(page, rows);
            if (this.#pages.size > capacity) this.#pages.delete(this.#pages.keys().next().value);
            this.#onLoaded(page * pageSize, rows.length);
        } catch (error) {
            // The rows are requested again when they are redrawn.
            if (!controller.signal.aborted) this.#onFailed(error);
        } finally {
            if (this.#loading.get(page) === controller) this.#loading.delete(page);
        }
    }
}
