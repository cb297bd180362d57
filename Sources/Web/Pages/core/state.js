// The state of the page, kept in the fragment of its address, so that a view can be shared and Back returns to it.

/** Values by name; a change is visible in the address and to listeners. */
export class State {
    #values = new Map();
    #listeners = new Set();
    #address = location.hash;

    constructor() {
        this.#values = read(location.hash);
        addEventListener('hashchange', () => this.#replaceAll(read(location.hash)));
        addEventListener('popstate', () => this.#replaceAll(read(location.hash)));
    }

    /** The value of a name, `''` without one. */
    get(name) {
        return this.#values.get(name) ?? '';
    }

    /** A value as a number, `undefined` without one. */
    number(name) {
        const text = this.get(name);
        return text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);
    }

    /** The parts of a value that is a list. */
    list(name) {
        return this.get(name) === '' ? [] : this.get(name).split('\n');
    }

    /** Changes values. `undefined`, `null` and `''` remove one. `push` leaves an entry for Back. */
    set(changes, { push = false } = {}) {
        // The event of a link that was just followed may still be pending.
        if (location.hash !== this.#address) this.#replaceAll(read(location.hash));
        const values = new Map(this.#values);
        for (const [name, value] of Object.entries(changes)) {
            const text = Array.isArray(value) ? value.join('\n') : String(value ?? '');
            if (text === '') values.delete(name);
            else values.set(name, text);
        }
        const address = '#' + new URLSearchParams([...values]).toString();
        if (push) history.pushState(null, '', address);
        else history.replaceState(null, '', address);
        this.#address = location.hash;
        this.#replaceAll(values);
    }

    /** The fragment of this state with some values changed, for links. */
    link(changes) {
        const values = new Map(this.#values);
        for (const [name, value] of Object.entries(changes)) {
            if (value === undefined || value === null || value === '') values.delete(name);
            else values.set(name, String(value));
        }
        return '#' + new URLSearchParams([...values]).toString();
    }

    /** Calls `action` after a change of one of these names, until the returned function is called. */
    listen(names, action) {
        const listener = changed => {
            if (names.some(name => changed.has(name))) action();
        };
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    }

    #replaceAll(values) {
        const names = new Set([...this.#values.keys(), ...values.keys()]);
        const changed = new Set([...names].filter(name => this.#values.get(name) !== values.get(name)));
        this.#values = values;
        this.#address = location.hash;
        if (changed.size === 0) return;
        // A listener may end others, such as those of a view that is closed.
        for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener(changed);
    }
}

function read(fragment) {
    return new Map(new URLSearchParams(fragment.replace(/^#/, '')));
}
