// The server's interface, as docs/web-api.yaml describes it.

/** An error response of the server. `detail` is the whole response. */
export class ApiError extends Error {
    constructor(status, detail) {
        super(detail.error ?? `The server answered ${status}.`);
        this.status = status;
        this.detail = detail;
    }
}

/** Requests to the server, and its events. */
export class Api extends EventTarget {
    #source;
    #hasEnded = false;

    files() {
        return this.#get('files');
    }

    openFile(name, content) {
        return this.#send('POST', 'files', { name }, content, 'application/octet-stream');
    }

    closeFile(file) {
        return this.#send('DELETE', `files/${file}`);
    }

    packets(file, { from, count, filter, fields, signal }) {
        return this.#get(`files/${file}/packets`, { from, count, filter, fields: fields?.join(',') }, signal);
    }

    packet(file, number, signal) {
        return this.#get(`files/${file}/packets/${number}`, {}, signal);
    }

    procedures(file, from, count) {
        return this.#get(`files/${file}/procedures`, { from, count });
    }

    startFilter(file, expression) {
        return this.#send('POST', `files/${file}/filters`, {}, JSON.stringify({ expression }));
    }

    filter(file, filter, at) {
        return this.#get(`files/${file}/filters/${filter}`, { at });
    }

    endFilter(file, filter) {
        return this.#send('DELETE', `files/${file}/filters/${filter}`);
    }

    fields(prefix, limit) {
        return this.#get('fields', { prefix, limit });
    }

    /** A result computed in the background: `devices`, `tables`, `series`, `verdicts`, `incidents` or `products`. */
    result(file, what, parameters = {}) {
        return this.#get(`files/${file}/${what}`, parameters);
    }

    tableDifference(a, b) {
        return this.#get('tables/difference', { a, b });
    }

    ladder(file, parameters, signal) {
        return this.#get(`files/${file}/ladder`, parameters, signal);
    }

    plots(file, series, parameters, signal) {
        return this.#get(`files/${file}/plots`, { series: series.join(','), ...parameters }, signal);
    }

    twin() {
        return this.#get('twin');
    }

    twinDisplay() {
        return this.#get('twin/display');
    }

    driveTwin(step) {
        return this.#send('POST', 'twin', {}, JSON.stringify(step));
    }

    addWaiver(waiver) {
        return this.#send('POST', 'waivers', {}, JSON.stringify(waiver));
    }

    /**
     * Listens to the server. Its events are dispatched under their names, with the data in `detail`. In addition,
     * `connected`, `lost` and `forbidden` report the state of the connection; a server that has sent `end` is not `lost`. A lost
     * connection is retried until it succeeds.
     */
    listen() {
        this.#source?.close();
        const source = new EventSource('/api/events');
        this.#source = source;
        source.addEventListener('open', () => {
            this.#hasEnded = false;
            this.#dispatch('connected');
        });
        source.addEventListener('end', () => (this.#hasEnded = true));
        source.addEventListener('error', () => this.#failed(source));
        for (const name of ['file', 'closed', 'filter', 'progress', 'end']) {
            source.addEventListener(name, event => this.#dispatch(name, parsed(event.data)));
        }
    }

    async #failed(source) {
        if (source !== this.#source) return;
        source.close();
        if (!this.#hasEnded) this.#dispatch('lost');
        // EventSource hides the status; an ordinary request shows whether the token is the reason.
        try {
            await this.files();
        } catch (error) {
            if (error.status === 401 || error.status === 403) this.#dispatch('forbidden');
        }
        setTimeout(() => this.listen(), 1000);
    }

    #dispatch(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }

    #get(path, parameters = {}, signal = undefined) {
        return this.#request(path, parameters, { signal });
    }

    #send(method, path, parameters = {}, body = undefined, type = 'application/json') {
        return this.#request(path, parameters, { method, body, headers: body === undefined ? {} : { 'Content-Type': type } });
    }

    async #request(path, parameters, options) {
        const query = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '')
            .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
        const answer = await fetch(`/api/${path}${query && `?${query}`}`, options);
        if (answer.status === 204) return undefined;
        const text = await answer.text();
        if (!answer.ok) throw new ApiError(answer.status, parsed(text));
        return parsed(text);
    }
}

function parsed(text) {
    try {
        return text ? JSON.parse(text) : {};
    } catch {
        return { error: 'The server sent no JSON.' };
    }
}
