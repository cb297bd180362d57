// The packet list: rows of the capture or of a filter's matches.

import { element, replace } from '../core/dom.js';
import { bindKeys } from '../core/keys.js';
import { short } from '../core/format.js';
import { PageCache } from '../core/pages.js';
import { subscribe } from '../core/session.js';
import { columnsFor, protocolClass, signOf, template } from './columns.js';
import { fieldType } from './field-tree.js';
import { VirtualList } from './virtual-list.js';

const rowHeight = 24;
const narrowWidth = 700;

export class PacketList {
    #widths = new Map();
    #fields = [];
    #columns = [];
    #index;
    #number;
    #ends = [];

    /** Callbacks: `onSelect(number)`, `onFields(names)`, `onOpen()`. `session` has the rows. */
    constructor({ session, onSelect, onFields, onOpen = () => {} }) {
        Object.assign(this, { session, onSelect, onFields, onOpen });
        this.rows = new PageCache(
            async (first, count, signal) => (await session.api.packets(session.id, {
                from: first, count, filter: session.filter?.id, fields: this.#fields, signal,
            })).rows,
            { onLoaded: (first, count) => this.#arrived(first, count), onFailed: error => this.#failed(error) });
        this.list = new VirtualList({
            rowHeight, label: 'Packets',
            prepare: () => this.#emptyRow(), render: (node, index) => this.#renderRow(node, index),
            onRange: (first, count) => this.rows.want(first, count),
        });
        this.list.root.setAttribute('role', 'listbox');
        this.header = element('div.columns', { role: 'group', 'aria-label': 'Columns; drop a field here to add it' });
        this.fault = element('p.notice.fail', { role: 'alert', hidden: true });
        this.root = element('div.packet-list', {}, this.header, this.list.root, this.fault);
        this.list.root.addEventListener('scroll', () => (this.header.scrollLeft = this.list.root.scrollLeft));
        this.list.root.addEventListener('click', event => this.#clicked(event));
        this.list.root.addEventListener('dblclick', () => this.onOpen());
        this.#acceptFields();
        this.#ends.push(
            bindKeys(this.list.root, this.#keys()),
            subscribe(session, 'file', () => this.#grown()),
            subscribe(session, 'filter', () => this.#filtered()),
            subscribe(session, 'marks', () => this.list.update(0, Infinity)),
            subscribe(session, 'verdicts', () => this.#reload()),
            subscribe(session, 'complete', () => this.#reload()));
        this.observer = new ResizeObserver(() => this.#arrange());
        this.observer.observe(this.root);
        this.#shown = session.filter?.id;
        this.list.setCount(session.rows);
    }

    #shown;
    /** Counts selections, so that the late result of an earlier one is ignored. */
    #turn = 0;

    close() {
        this.#turn += 1;
        this.observer.disconnect();
        this.list.close();
        for (const end of this.#ends) end();
    }

    /** The fields of the added columns. */
    setFields(fields) {
        if (fields.join() === this.#fields.join() && this.#columns.length > 0) return;
        this.#fields = fields;
        this.#wide = undefined;
        this.#arrange();
        this.#reload();
    }

    /** Selects a packet by its number and shows it; with a filter the next match. */
    async select(number, { centre = false } = {}) {
        if (number === this.#number && this.#index !== undefined && !centre) return;
        this.#number = number;
        const turn = (this.#turn += 1);
        const index = await this.session.indexOf(number).catch(() => undefined);
        if (this.#turn !== turn) return;
        this.#index = index;
        if (index !== undefined) this.list.reveal(index, { centre });
        this.list.update(0, Infinity);
    }

    /** Selects the row before or after the selected one. */
    step(distance) {
        return this.selectIndex((this.#index ?? -1) + distance);
    }

    /** Selects a row by its place. */
    async selectIndex(index) {
        if (this.list.count === 0) return;
        const place = Math.min(Math.max(index, 0), this.list.count - 1);
        const turn = (this.#turn += 1);
        this.#index = place;
        this.list.reveal(place);
        this.list.update(0, Infinity);
        const row = await this.rows.fetch(place);
        if (!row || this.#turn !== turn) return;
        this.#number = row.number;
        this.list.update(0, Infinity);
        this.onSelect(row.number);
    }

    /** Shows the last row, also when there are more, until the user scrolls away from it. */
    follow() {
        this.list.stickToEnd();
    }

    focus() {
        this.list.root.focus({ preventScroll: true });
    }

    #keys() {
        return {
            ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1),
            PageDown: () => this.step(this.list.page), PageUp: () => this.step(-this.list.page),
            Home: () => this.selectIndex(0), End: () => this.selectIndex(this.list.count - 1),
            Enter: () => this.onOpen(),
        };
    }

    #grown() {
        if (this.session.filter) return;
        this.#refill();
    }

    /** Adds rows after the known ones. Rows being loaded are requested again. */
    #refill() {
        this.rows.invalidate(this.list.count);
        this.list.setCount(this.session.rows);
        this.list.draw();
    }

    #filtered() {
        const { filter } = this.session;
        if (filter?.id === this.#shown) {
            this.#refill();
            if (this.#index === undefined && this.#number !== undefined) this.select(this.#number, { centre: true });
            return;
        }
        this.#shown = filter?.id;
        this.#index = undefined;
        this.rows.invalidate();
        this.list.setCount(this.session.rows);
        this.list.refresh();
        if (this.#number !== undefined) this.select(this.#number, { centre: true });
    }

    #reload() {
        this.rows.invalidate();
        this.list.refresh();
    }

    #arrived(first, count) {
        this.fault.hidden = true;
        this.list.update(first, count);
    }

    #failed(error) {
        // Only a response of the server has a status. The frame of the page reports a lost server.
        if (error.status === undefined) return;
        replace(this.fault, error.message);
        this.fault.hidden = false;
    }

    #wide;

    #arrange() {
        if (this.root.clientWidth === 0) return;
        const wide = this.root.clientWidth >= narrowWidth;
        if (wide === this.#wide) return;
        this.#wide = wide;
        this.#columns = columnsFor(this.#fields, wide);
        this.root.classList.toggle('narrow', !wide);
        replace(this.header, this.#columns.map(column => this.#heading(column)));
        this.#applyWidths();
        this.list.refresh();
    }

    #applyWidths() {
        this.root.style.setProperty('--columns', template(this.#columns, this.#widths));
        const added = this.#columns.filter(column => column.field).length;
        this.root.style.setProperty('--least', `${(this.#wide ? 740 : 320) + added * (this.#wide ? 140 : 96)}px`);
    }

    #heading(column) {
        const grip = column.width === 0 ? null
            : element('span.grip', { 'aria-hidden': 'true', on: { pointerdown: event => this.#resize(event, column) } });
        const remove = column.field
            ? element('button.plain', {
                type: 'button', 'aria-label': `Remove the column ${column.field}`,
                on: { click: () => this.onFields(this.#fields.filter(field => field !== column.field)) },
            }, '×')
            : null;
        return element('div.column', { class: column.align === 'end' ? 'end' : '' },
            element('span', { title: column.title }, column.title), remove, grip);
    }

    #resize(event, column) {
        const start = event.clientX;
        const width = this.#widths.get(column.id) ?? column.width;
        const grip = event.target;
        const move = next => {
            this.#widths.set(column.id, Math.max(28, width + next.clientX - start));
            this.#applyWidths();
        };
        grip.setPointerCapture(event.pointerId);
        grip.addEventListener('pointermove', move);
        grip.addEventListener('lostpointercapture', () => grip.removeEventListener('pointermove', move), { once: true });
        event.preventDefault();
    }

    #acceptFields() {
        for (const name of ['dragenter', 'dragover']) {
            this.root.addEventListener(name, event => {
                if (!event.dataTransfer.types.includes(fieldType)) return;
                event.preventDefault();
                event.dataTransfer.dropEffect = 'copy';
                this.root.classList.add('accepting');
            });
        }
        this.root.addEventListener('dragleave', event => {
            if (!this.root.contains(event.relatedTarget)) this.root.classList.remove('accepting');
        });
        this.root.addEventListener('drop', event => {
            this.root.classList.remove('accepting');
            const field = event.dataTransfer.getData(fieldType);
            if (!field) return;
            event.preventDefault();
            if (!this.#fields.includes(field)) this.onFields([...this.#fields, field]);
        });
    }

    #emptyRow() {
        return element('div.row', { role: 'option' });
    }

    #renderRow(node, index) {
        const row = this.rows.row(index);
        node.setAttribute('aria-posinset', index + 1);
        node.setAttribute('aria-setsize', this.list.count);
        const isSelected = index === this.#index;
        node.setAttribute('aria-selected', String(isSelected));
        if (isSelected) this.list.root.setAttribute('aria-activedescendant', 'selected-row');
        if (isSelected) node.id = 'selected-row';
        else node.removeAttribute('id');
        node.dataset.index = index;
        node.className = 'row';
        if (!row) {
            replace(node, element('span.cell.end', {}, '…'));
            return;
        }
        const sign = signOf(row);
        node.classList.add(protocolClass(row.protocol), row.direction);
        if (sign) node.classList.add(sign.kind);
        if (this.session.marks.has(row.number)) node.classList.add('marked');
        node.dataset.number = row.number;
        replace(node, this.#columns.map(column => {
            const cell = element('span.cell', { class: column.align === 'end' ? 'end' : '' });
            cell.classList.add(`c-${column.field ? 'field' : column.id}`);
            if (column.id === 'info' && sign) {
                cell.append(element('span.sign', { class: sign.kind, title: sign.words, role: 'img', 'aria-label': sign.words }, sign.text));
            }
            cell.append(element('span.foreign', {}, short(column.text(row) ?? '')));
            return cell;
        }));
    }

    #clicked(event) {
        const row = event.target instanceof Element ? event.target.closest('.row') : undefined;
        if (row) this.selectIndex(Number(row.dataset.index));
    }
}
