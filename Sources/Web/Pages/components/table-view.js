// A table of any number of rows. Few rows are an HTML table; of many, the first thousand are, and a button shows more.

import { element } from '../core/dom.js';
import { count, short } from '../core/format.js';

const step = 1000;

export class TableView {
    #shown = 0;

    /** Columns have `title`, `text(row)` or `content(row)`; `number` aligns them, and a `wide` one has several lines. */
    constructor(label, columns, rows) {
        Object.assign(this, { columns, rows });
        this.body = element('tbody');
        this.more = element('button', { type: 'button', on: { click: () => this.#extend() } });
        this.root = element('div.table-view', {},
            element('table', { 'aria-label': label }, element('thead', {}, element('tr', {}, columns.map(column =>
                element(column.title ? 'th' : 'td', { scope: column.title ? 'col' : null, class: column.number ? 'number' : '' }, column.title)))), this.body),
            rows.length === 0 ? element('p.muted', {}, 'None.') : null, this.more);
        this.#extend();
    }

    #extend() {
        const part = this.rows.slice(this.#shown, this.#shown + step);
        this.#shown += part.length;
        this.body.append(...part.map(row => this.#row(row)));
        const left = this.rows.length - this.#shown;
        this.more.hidden = left === 0;
        this.more.textContent = `Show ${count(Math.min(step, left))} of ${count(left)} more`;
    }

    #row(row) {
        const node = element('tr', {}, this.columns.map(column => element('td', {
            class: column.number ? 'number' : column.wide ? 'wide' : '', title: column.hint?.(row),
        }, column.content ? column.content(row) : element('span.foreign', {}, short(String(column.text(row) ?? ''))))));
        this.onRow?.(node, row);
        return node;
    }
}
