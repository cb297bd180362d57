// The display filter: completion of field names while typing, and the server's error below the faulty part.

import { announce, debounce, element, replace } from '../core/dom.js';
import { count } from '../core/format.js';

const wordBefore = /[A-Za-z_][\w.]*$/;

export class FilterBar {
    #suggestions = [];
    #chosen = -1;
    #asked = 0;

    /** `applied()` returns the current filter; `onApply(text)` may throw an error whose `detail` has `start` and `end`. */
    constructor({ api, applied, onApply }) {
        this.api = api;
        this.applied = applied;
        this.onApply = onApply;
        this.input = element('input.mono', {
            type: 'text', role: 'combobox', id: 'filter', 'aria-label': 'Display filter', 'aria-expanded': 'false',
            'aria-controls': 'filter-fields', 'aria-autocomplete': 'list', 'aria-describedby': 'filter-error',
            placeholder: 'Display filter, as btatt.opcode == 0x1b', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off',
        });
        this.list = element('div.filter-fields', { id: 'filter-fields', role: 'listbox', 'aria-label': 'Fields', hidden: true });
        this.fault = element('div.filter-fault.mono', { hidden: true, 'aria-hidden': 'true' });
        this.message = element('div.filter-message', { id: 'filter-error', role: 'alert' });
        this.state = element('span.filter-state.muted');
        this.clear = element('button', { type: 'button', on: { click: () => this.#replaceWith('') } }, 'Clear');
        this.root = element('form.filter-bar', { role: 'search', on: { submit: event => this.#submitted(event) } },
            element('div.filter-input', {}, this.input, this.fault, this.message, this.list),
            element('button', { type: 'submit' }, 'Apply'), this.clear, this.state);
        this.suggest = debounce(80, () => this.#suggest());
        this.input.addEventListener('input', () => {
            this.#showFault(undefined);
            this.#showClear();
            this.suggest();
        });
        this.input.addEventListener('scroll', () => this.#placeFault());
        this.input.addEventListener('keydown', event => this.#pressed(event));
        this.input.addEventListener('blur', () => setTimeout(() => this.#closeList(), 150));
    }

    get text() {
        return this.input.value;
    }

    /** Shows a filter that was applied elsewhere. */
    show(text) {
        if (document.activeElement !== this.input || text !== '') this.input.value = text;
        this.#showFault(undefined);
        this.#showClear();
    }

    /** Shows the progress of the filter. */
    showProgress(filter, packets) {
        replace(this.state, filter === undefined ? ''
            : filter.state === 'running' && packets > 0
                ? `${count(filter.matches)} so far, ${Math.floor((100 * filter.scanned) / packets)} %`
                : `${count(filter.matches)} of ${count(packets)}`);
        this.#showClear();
    }

    /** Replaces or extends the text and applies it. */
    async apply(text) {
        this.input.value = text;
        await this.#submitted();
    }

    #showClear() {
        this.clear.disabled = this.text === '' && this.applied() === '';
    }

    /** Restores the current filter. */
    #restore() {
        this.input.value = this.applied();
        this.#showFault(undefined);
        this.#showClear();
    }

    #replaceWith(text) {
        this.input.value = text;
        this.input.focus();
        this.#submitted();
    }

    async #submitted(event) {
        event?.preventDefault();
        this.#closeList();
        this.#showFault(undefined);
        this.#showClear();
        try {
            await this.onApply(this.text);
        } catch (error) {
            this.#showFault({ error: error.message, ...error.detail });
        }
    }

    #showFault(fault) {
        this.current = fault;
        this.input.setAttribute('aria-invalid', String(Boolean(fault)));
        this.fault.hidden = fault?.start === undefined;
        replace(this.message, fault ? fault.error : '');
        if (fault?.start === undefined) return;
        const width = Math.max(1, (fault.end ?? fault.start + 1) - fault.start);
        replace(this.fault, '^' + '~'.repeat(Math.min(width, 2000) - 1));
        this.#placeFault();
    }

    #placeFault() {
        if (this.current?.start === undefined) return;
        this.fault.style.insetInlineStart = `calc(8px + ${this.current.start}ch - ${this.input.scrollLeft}px)`;
    }

    async #suggest() {
        const before = this.text.slice(0, this.input.selectionStart);
        const word = before.match(wordBefore)?.[0] ?? '';
        // Nothing completes inside of a text in quotes.
        const quotes = before.replace(/\\./g, '').split('"').length - 1;
        if (word.length < 2 || quotes % 2 === 1) return this.#closeList();
        this.#asked += 1;
        const asked = this.#asked;
        const { fields, total } = await this.api.fields(word, 50).catch(() => ({ fields: [], total: 0 }));
        if (asked !== this.#asked || document.activeElement !== this.input) return;
        if (fields.length === 0 || (fields.length === 1 && fields[0].name === word)) return this.#closeList();
        this.#suggestions = fields;
        this.#chosen = -1;
        replace(this.list, fields.map((field, index) => element('div', {
            role: 'option', id: `field-${index}`, 'aria-selected': 'false',
            on: { pointerdown: event => (event.preventDefault(), this.#complete(index)) },
        }, element('span.mono', {}, field.name), element('span.muted', {}, [field.label, field.unit].filter(Boolean).join(', ')))));
        this.list.hidden = false;
        this.input.setAttribute('aria-expanded', 'true');
        announce(`${total} fields`);
    }

    #closeList() {
        this.#asked += 1;
        this.list.hidden = true;
        this.#suggestions = [];
        this.#chosen = -1;
        this.input.setAttribute('aria-expanded', 'false');
        this.input.removeAttribute('aria-activedescendant');
    }

    #choose(index) {
        const options = [...this.list.children];
        options[this.#chosen]?.setAttribute('aria-selected', 'false');
        this.#chosen = (index + options.length) % options.length;
        options[this.#chosen].setAttribute('aria-selected', 'true');
        options[this.#chosen].scrollIntoView({ block: 'nearest' });
        this.input.setAttribute('aria-activedescendant', `field-${this.#chosen}`);
    }

    #complete(index) {
        const end = this.input.selectionStart;
        const start = end - (this.text.slice(0, end).match(wordBefore)?.[0].length ?? 0);
        this.input.setRangeText(this.#suggestions[index].name, start, end, 'end');
        this.#closeList();
    }

    #pressed(event) {
        const isOpen = !this.list.hidden;
        if (event.key === 'Escape') {
            if (isOpen) this.#closeList();
            else this.#restore();
        } else if (isOpen && event.key === 'ArrowDown') this.#choose(this.#chosen + 1);
        else if (isOpen && event.key === 'ArrowUp') this.#choose(this.#chosen < 0 ? -1 : this.#chosen - 1);
        else if (isOpen && this.#chosen >= 0 && (event.key === 'Enter' || event.key === 'Tab')) this.#complete(this.#chosen);
        else if (isOpen && event.key === 'Tab' && this.#suggestions.length === 1) this.#complete(0);
        else return;
        event.preventDefault();
        event.stopPropagation();
    }
}
