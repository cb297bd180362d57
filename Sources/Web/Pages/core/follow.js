// Results that the server computes in the background, followed until they are complete.

import { subscribe } from './session.js';

const interval = 700;

/**
 * Loads a result of a file (`devices`, `tables`, `series`, `verdicts`, `incidents` or `products`) and passes it to `show`, again
 * after each change, and errors to `fail`. `parameters()` are those of the request. The object has `load()` and `close()`.
 */
export function follow(session, what, { show, fail, parameters = () => ({}) }) {
    let timer = 0;
    let isLoading = false;
    let isWanted = false;
    let isClosed = false;

    const load = async () => {
        clearTimeout(timer);
        isWanted = isLoading;
        if (isLoading || isClosed) return;
        isLoading = true;
        try {
            const answer = await session.api.result(session.id, what, parameters());
            if (isClosed) return;
            show(answer);
            if (answer.state === 'running' || session.file.live) timer = setTimeout(load, session.file.live ? 2 * interval : interval);
        } catch (error) {
            if (!isClosed) fail(error);
        } finally {
            isLoading = false;
        }
        if (isWanted) load();
    };

    const ends = [subscribe(session, what, load), subscribe(session, 'file', () => session.file.state !== 'running' && load())];
    load();
    return {
        load,
        close: () => {
            isClosed = true;
            clearTimeout(timer);
            for (const end of ends) end();
        },
    };
}
