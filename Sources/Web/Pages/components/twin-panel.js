// Drives the twin of --twin: a button for each stimulus of the device, and its display.

import { announce, element, replace } from '../core/dom.js';
import { ask } from './dialog.js';

/** Milliseconds between two looks at the display. */
const interval = 1000;

export class TwinPanel {
    constructor(api) {
        this.api = api;
        this.root = element('section.twin', { 'aria-label': 'Twin', hidden: true });
        this.note = element('span.muted', { role: 'status' });
        this.display = element('pre.display', { role: 'img', 'aria-label': 'Display', hidden: true });
        this.#load();
    }

    async #load() {
        const twin = await this.api.twin().catch(() => undefined);
        if (!twin) return;
        this.root.hidden = false;
        replace(this.root, element('h2', {}, 'Twin ', element('span.muted', {}, twin.plugin)),
            element('div.bar', {}, twin.stimuli.map(stimulus => element('button', {
                type: 'button', title: stimulus.text, on: { click: () => this.#drive(stimulus) },
            }, stimulus.name + (stimulus.parameters.length > 0 ? '…' : '')))), this.display, this.note);
        this.#follow();
    }

    /** Shows the display while the panel is visible, until the twin ends; nothing for a twin without one. */
    async #follow() {
        if (this.root.offsetParent !== null && !document.hidden) {
            const answer = await this.api.twinDisplay().catch(() => undefined);
            this.display.hidden = !answer?.lines;
            if (!answer?.lines) return;
            const text = answer.lines.join('\n');
            if (text !== this.display.textContent) {
                replace(this.display, text);
                this.display.setAttribute('aria-label', `Display: ${text.replace(/[^\p{L}\p{N}%.,: -]+/gu, ' ').trim()}`);
            }
        }
        setTimeout(() => this.#follow(), interval);
    }

    async #drive(stimulus) {
        const parameters = stimulus.parameters.length === 0 ? {} : await ask(stimulus.text || stimulus.name, stimulus.parameters.map(parameter => ({
            name: parameter.name, label: `${parameter.name} (${parameter.type})`.trim(), value: parameter.default ?? '',
            required: parameter.default === null || parameter.default === undefined,
        })), { button: stimulus.name });
        if (!parameters) return;
        const values = Object.fromEntries(stimulus.parameters.filter(({ name }) => (parameters[name] ?? '') !== '')
            .map(({ name }) => [name, typed(parameters[name])]));
        try {
            await this.api.driveTwin({ [stimulus.name]: values });
            replace(this.note, `${stimulus.name} happened.`);
            announce(`${stimulus.name} happened`);
        } catch (error) {
            replace(this.note, element('span.verdict.fail', {}, error.message));
        }
    }
}

/** Numbers and booleans natively, everything else as text. */
function typed(text) {
    if (text === 'true' || text === 'false') return text === 'true';
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
