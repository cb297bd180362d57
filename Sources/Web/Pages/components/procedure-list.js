// The packets grouped into GATT procedures: a request with its response, a long read, a message in several values.

import { element, replace } from '../core/dom.js';
import { count, duration, seconds, short } from '../core/format.js';
import { bindKeys } from '../core/keys.js';
import { subscribe } from '../core/session.js';
import { VirtualList } from './virtual-list.js';

const pageSize = 200;

export class ProcedureList {
    #rows = [];
    #next = 1;
    #from;
    #loading = false;
    #selected;
    #sought = false;
    #open = new Set();
    /** The rows shown: procedures, and the packets of opened ones. */
    #lines = [];

    constructor({ session, onSelect }) {
        Object.assign(this, { session, onSelect });
        this.list = new VirtualList({
            rowHeight: 24, label: 'GATT procedures', prepare: () => element('div.row.procedure', { role: 'option' }),
            render: (node, index) => this.#render(node, index), onRange: (first, length) => this.#wanted(first + length),
        });
        this.list.root.setAttribute('role', 'listbox');
        this.earlier = element('button', { type: 'button', hidden: true, on: { click: () => this.#restart(1) } }, 'Show from the beginning');
        this.root = element('div.packet-list.procedures', {},
            element('div.columns.procedure', { 'aria-hidden': 'true' },
                ['Packets', 'Time', 'Duration', '', 'Peer', 'Procedure', 'Attribute', 'Result'].map(title => element('div.column', {}, title))),
            this.list.root, this.earlier);
        this.list.root.addEventListener('click', event => {
            const row = event.target.closest('.row');
            if (row) this.#choose(Number(row.dataset.index), event.target.closest('.fold') !== null);
        });
        const step = distance => this.#choose(this.#index() + distance);
        this.end = [
            bindKeys(this.list.root, {
                ArrowDown: () => step(1), ArrowUp: () => step(-1), PageDown: () => step(this.list.page), PageUp: () => step(-this.list.page),
                Home: () => this.#choose(0), End: () => this.#choose(this.#lines.length - 1),
                ArrowRight: () => this.#fold(this.#index(), true), ArrowLeft: () => this.#fold(this.#index(), false),
            }),
            subscribe(session, 'file', () => this.#grown()),
        ];
    }

    close() {
        this.list.close();
        for (const end of this.end) end();
    }

    /** Shows the procedures from the one before a packet on. */
    start(number) {
        if (this.#from === undefined) this.#restart(number > 2000 ? number - 200 : 1);
    }

    /** Marks the procedure of a packet. */
    select(number) {
        this.#selected = number;
        this.#sought = true;
        this.#seek();
        this.list.update(0, Infinity);
    }

    /** Shows the selected procedure, which may have to be loaded. */
    #seek() {
        if (!this.#sought) return;
        const index = this.#index();
        if (index >= 0) {
            this.#sought = false;
            this.list.reveal(index);
        } else if (this.#rows.length > 0 && this.#rows.at(-1).number < this.#selected) {
            this.#load();
        }
    }

    #restart(number) {
        this.#from = number;
        this.#next = number;
        this.#rows = [];
        this.#arrange();
        this.earlier.hidden = number === 1;
        this.#load();
    }

    async #load() {
        if (this.#loading || this.#next === null) return;
        this.#loading = true;
        try {
            const page = await this.session.api.procedures(this.session.id, this.#next, pageSize);
            this.#rows.push(...page.rows);
            this.#next = page.next;
        } catch (error) {
            this.#next = null;
            replace(this.earlier, error.message);
            this.earlier.hidden = false;
        } finally {
            this.#loading = false;
        }
        this.#arrange();
        this.#seek();
    }

    #grown() {
        if (this.#next !== null || this.#rows.length === 0 || !this.list.root.isConnected) return;
        // The last procedures may have been incomplete.
        const again = this.#rows.splice(-20);
        this.#next = again[0].number;
        this.#load();
    }

    #wanted(end) {
        if (end + 50 >= this.#lines.length && this.#from !== undefined) this.#load();
    }

    #arrange() {
        this.#lines = this.#rows.flatMap(row => [{ row }, ...(this.#open.has(row.number) ? row.packets.map(packet => ({ row, packet })) : [])]);
        this.list.setCount(this.#lines.length);
        this.list.refresh();
    }

    #index() {
        const exact = this.#lines.findIndex(line => line.packet === this.#selected);
        return exact >= 0 ? exact : this.#lines.findIndex(line => !line.packet && line.row.packets.includes(this.#selected));
    }

    #choose(index, fold = false) {
        const place = Math.min(Math.max(index, 0), this.#lines.length - 1);
        const line = this.#lines[place];
        if (!line) return;
        if (fold) this.#fold(place, !this.#open.has(line.row.number));
        this.#selected = line.packet ?? line.row.number;
        this.list.reveal(place);
        this.list.update(0, Infinity);
        this.onSelect(this.#selected);
    }

    #fold(index, open) {
        const row = this.#lines[index]?.row;
        if (!row) return;
        if (open) this.#open.add(row.number);
        else this.#open.delete(row.number);
        this.#arrange();
    }

    #render(node, index) {
        const { row, packet } = this.#lines[index] ?? {};
        if (!row) return;
        const isSelected = index === this.#index();
        node.className = 'row procedure att';
        node.dataset.index = index;
        node.setAttribute('aria-selected', String(isSelected));
        node.setAttribute('aria-posinset', index + 1);
        node.setAttribute('aria-setsize', this.#lines.length);
        if (packet !== undefined) {
            node.classList.add('part');
            replace(node, cell(''), cell(''), cell(''), cell(''), cell(''), cell(`packet ${count(packet)}`));
            return;
        }
        if (row.error || row.answered === false) node.classList.add('warning');
        const total = row.count ?? row.packets.length;
        const range = row.last === row.number ? count(row.number) : `${count(row.number)}–${count(row.last)}`;
        replace(node,
            element('span.cell', {}, total > 1
                ? element('span.fold', { 'aria-hidden': 'true' }, this.#open.has(row.number) ? '▾' : '▸') : element('span.fold'),
            range),
            cell(seconds(row.time), 'end'), cell(row.duration > 0 ? duration(row.duration) : '', 'end'),
            cell({ sent: '→', received: '←' }[row.direction] ?? '·'), cell(row.peer), cell(total > 2 ? `${row.kind} (${count(total)})` : row.kind),
            cell(row.attribute), cell(row.answered === false ? 'no answer' : row.info));
    }
}

function cell(text, kind = '') {
    return element('span.cell', { class: kind }, element('span.foreign', {}, short(text ?? '')));
}
