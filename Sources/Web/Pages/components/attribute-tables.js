// The attribute tables of the servers, and the difference of two.

import { element, replace } from '../core/dom.js';
import { follow } from '../core/follow.js';
import { count, fileLabels, hex, short } from '../core/format.js';
import { VirtualList } from './virtual-list.js';

const changes = { added: '+ second only', removed: '− first only', changed: '≠ differs' };

export class AttributeTables {
    /** Servers by session. */
    #servers = new Map();
    #isReading = true;
    #rows = [];
    #ends = [];

    /** `context` has `api`, `state`, `session` and `sessions()`. */
    constructor(context) {
        Object.assign(this, { api: context.api, state: context.state, session: context.session, sessions: context.sessions });
        this.server = element('select', { 'aria-label': 'Server', on: { change: () => this.state.set({ server: this.server.value, handle: undefined }) } });
        this.other = element('select', { 'aria-label': 'Compare with', on: { change: () => this.state.set({ compare: this.other.value }) } });
        this.note = element('span.muted', { role: 'status' });
        this.list = new VirtualList({
            rowHeight: 24, label: 'Attributes', prepare: () => element('div.row.attribute', { role: 'row' }),
            render: (node, index) => this.#render(node, this.#rows[index]),
        });
        this.list.root.setAttribute('role', 'table');
        this.header = element('div.columns.attribute', { 'aria-hidden': 'true' });
        this.root = element('div.attribute-tables', {},
            element('div.bar.tools', {}, this.server, element('span', {}, 'compared with'), this.other, this.note),
            this.header, this.list.root);
        this.#ends.push(this.state.listen(['server', 'compare'], () => this.#show()));
        // Tables of other files are offered for comparison.
        for (const session of this.sessions()) {
            const following = follow(session, 'tables', {
                show: ({ servers, state }) => {
                    this.#servers.set(session, servers);
                    if (session === this.session) this.#isReading = state === 'running';
                    this.#show();
                },
                fail: error => session === this.session && replace(this.note, error.message),
            });
            this.#ends.push(() => following.close());
        }
    }

    close() {
        this.list.close();
        for (const end of this.#ends) end();
    }

    async #show() {
        const mine = this.#servers.get(this.session) ?? [];
        const all = [...this.#servers].flatMap(([session, servers]) => servers.map(server => ({ session, server })));
        const wanted = this.state.get('server');
        const chosen = wanted === '' ? mine[0] : mine.find(server => String(server.id) === wanted);
        replace(this.server, chosen ? null : element('option', { value: '' }, 'Choose a server'), mine.map(server => element('option', { value: server.id, selected: server === chosen }, named(server))));
        const labels = fileLabels([...this.#servers.keys()].map(session => session.file));
        const here = chosen && `${this.session.id}:${chosen.id}`;
        replace(this.other, element('option', { value: '' }, 'nothing'), all
            .map(({ session, server }) => ({ id: `${session.id}:${server.id}`, text: session === this.session ? named(server) : `${named(server)}, ${labels.get(session.id)}` }))
            .filter(({ id }) => id !== here)
            .map(({ id, text }) => element('option', { value: id, selected: id === this.state.get('compare') }, short(text, 100))));
        if (!chosen) {
            replace(this.note, this.#isReading ? 'Reading …' : wanted === '' ? 'No attribute table was seen.' : 'No attribute table of this server was seen.');
            return this.#setRows([]);
        }
        if (this.state.get('compare') && this.state.get('compare') !== here) return this.#compare(here, this.state.get('compare'));
        replace(this.note, `${count(chosen.attributes.length)} attributes${chosen.plugin ? `, plugin ${chosen.plugin}` : ''}`);
        this.#setHeader(['Handle', 'Attribute', 'Type', 'Properties', 'Confidence', 'Used', 'Last value']);
        this.#setRows(chosen.attributes);
        const handle = this.state.number('handle');
        const place = chosen.attributes.findIndex(attribute => attribute.handle === handle);
        if (place >= 0 && this.revealed !== handle) this.list.reveal(place, { centre: true });
        this.revealed = handle;
    }

    async #compare(a, b) {
        try {
            const { rows } = await this.api.tableDifference(a, b);
            replace(this.note, rows.length === 0 ? 'The tables are equal.' : `${count(rows.length)} attributes differ`);
            this.#setHeader(['Handle', 'First', 'Type', 'Properties', 'Change', '', 'Second']);
            this.#setRows(rows);
        } catch (error) {
            replace(this.note, error.message);
            this.#setRows([]);
        }
    }

    #setHeader(titles) {
        replace(this.header, titles.map(title => element('div.column', {}, title)));
    }

    #setRows(rows) {
        this.#rows = rows;
        this.list.setCount(rows.length);
        this.list.root.setAttribute('aria-rowcount', rows.length);
        this.list.refresh();
    }

    #render(node, row) {
        if (!row) return;
        node.className = 'row attribute';
        node.dataset.handle = row.handle;
        const isDifference = row.change !== undefined;
        const attribute = isDifference ? row.a ?? {} : row;
        node.classList.add(attribute.kind ?? row.b?.kind ?? 'unknown');
        if (isDifference) node.classList.add(row.change);
        if (!isDifference && attribute.handle === this.state.number('handle')) node.classList.add('chosen');
        replace(node, [
            hex(row.handle), attribute.name ?? attribute.kind ?? '', (attribute.type ?? row.b?.type ?? ''), (attribute.properties ?? []).join(', '),
            isDifference ? changes[row.change] : attribute.confidence, isDifference || !attribute.count ? '' : count(attribute.count),
        ].map(text => element('span.cell', { role: 'cell' }, element('span.foreign', { title: text.length > 20 ? short(text) : null }, short(text)))),
        element('span.cell', { role: 'cell' }, isDifference ? described(row.b) : this.#value(attribute)));
    }

    #value(attribute) {
        if (attribute.last === undefined) return '';
        const text = element('span.foreign', {}, short(attribute.last));
        return attribute.number === undefined ? text : element('button.text', {
            type: 'button', tabindex: '0', on: { click: () => this.state.set({ view: 'packets', frame: attribute.number }, { push: true }) },
        }, text);
    }
}

function named(server) {
    return short([server.device, server.address !== server.device && server.address].filter(Boolean).join(' '), 80);
}

function described(attribute) {
    if (!attribute) return '';
    return element('span.foreign', {}, short([attribute.name ?? attribute.kind, attribute.type, (attribute.properties ?? []).join(', ')].filter(Boolean).join('  ')));
}
