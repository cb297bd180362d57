// The packet list with the detail of the selected packet.

import { announce, element, replace } from '../core/dom.js';
import { count } from '../core/format.js';
import { bindKeys } from '../core/keys.js';
import { subscribe } from '../core/session.js';
import { Detail } from '../components/detail.js';
import { ask } from '../components/dialog.js';
import { PacketList } from '../components/packet-list.js';
import { ProcedureList } from '../components/procedure-list.js';

export class PacketsView {
    #ends = [];
    #search;

    /** `context` has `api`, `state`, `session` and `applyFilter(text)`. */
    constructor(context) {
        Object.assign(this, context);
        const { state, session } = this;
        this.detail = new Detail(context, {
            filter: text => this.applyFilter(text), addColumn: name => this.#addColumn(name),
            go: number => state.set({ frame: number }, { push: true }),
            plot: field => state.set({ view: 'plots', field }, { push: true }),
        });
        const onSelect = number => state.set({ frame: number });
        this.list = new PacketList({
            session, onSelect, onFields: fields => state.set({ columns: fields }), onOpen: () => this.detail.tree.root.focus(),
        });
        this.procedures = new ProcedureList({ session, onSelect });
        this.grouped = this.#toggle('Grouped', 'Group into GATT procedures', 'group');
        this.follow = this.#toggle('Follow', 'Show the newest packet', 'follow');
        this.find = element('span.bar.find', { role: 'status' });
        this.tools = element('div.bar.tools', {}, this.grouped, this.follow,
            element('button', { type: 'button', on: { click: () => this.#goTo() } }, 'Go to…'),
            element('button', { type: 'button', on: { click: () => this.#find() } }, 'Find…'), this.find);
        this.divider = element('div.divider', {
            role: 'separator', tabindex: '0', 'aria-orientation': 'horizontal', 'aria-label': 'Height of the packet list',
            'aria-valuemin': '10', 'aria-valuemax': '90',
        });
        this.upper = element('div.upper');
        this.root = element('div.packets-view', {}, this.upper, this.divider, this.detail.root);
        this.#makeDividerMovable();
        this.#setHeight(55);
        this.#ends.push(
            bindKeys(document, this.#keys()),
            state.listen(['frame'], () => this.#show()),
            state.listen(['columns'], () => this.list.setFields(state.list('columns'))),
            state.listen(['group', 'follow'], () => this.#arrange()),
            subscribe(session, 'filter', () => this.#arrange()),
            subscribe(session, 'verdicts', () => this.detail.reload()),
            subscribe(session, 'complete', () => this.detail.reload()),
            // The new server may give the id of the search to another filter.
            subscribe(session, 'restart', () => (this.#search = undefined)),
            subscribe(session, 'file', () => this.#selectFirst()));
        this.list.setFields(state.list('columns'));
        this.#arrange();
        this.#show({ centre: true });
    }

    close() {
        for (const end of this.#ends) end();
        this.tools.remove();
        this.list.close();
        this.procedures.close();
        this.#endSearch();
    }

    #selectFirst() {
        if (this.state.number('frame') === undefined && this.session.file.packets > 0 && !this.list.following) {
            this.list.selectIndex(0);
        }
    }

    #show({ centre = false } = {}) {
        const number = this.state.number('frame');
        if (number === undefined) {
            this.detail.clear();
            return this.#selectFirst();
        }
        this.detail.show(number);
        this.list.select(number, { centre });
        this.procedures.select(number);
    }

    #arrange() {
        // Procedures are of the whole file; a filter shows packets.
        const isGrouped = this.state.get('group') === '1' && !this.session.filter;
        this.grouped.disabled = Boolean(this.session.filter);
        this.grouped.setAttribute('aria-pressed', String(isGrouped));
        const shown = isGrouped ? this.procedures.root : this.list.root;
        if (shown.parentNode !== this.upper) replace(this.upper, shown);
        if (isGrouped) this.procedures.start(this.state.number('frame') ?? 1);
        this.follow.hidden = !this.session.file.live;
        const following = this.state.get('follow') === '1' || (this.session.file.live && this.state.get('follow') !== '0');
        if (following === this.list.following) return;
        this.list.following = following;
        this.follow.setAttribute('aria-pressed', String(following));
        if (following && this.session.file.live) this.list.follow();
    }

    #toggle(text, title, name) {
        return element('button', {
            type: 'button', title, 'aria-pressed': 'false',
            on: {
                click: event => {
                    const isOn = event.currentTarget.getAttribute('aria-pressed') === 'true';
                    this.state.set({ [name]: isOn ? (name === 'follow' ? '0' : '') : '1' });
                },
            },
        }, text);
    }

    #keys() {
        return {
            'Ctrl+ArrowDown': () => this.list.step(1), 'Ctrl+ArrowUp': () => this.list.step(-1),
            'Ctrl+G': () => this.#goTo(), 'Ctrl+F': () => this.#find(),
            F3: () => this.#findFrom(1), 'Shift+F3': () => this.#findFrom(-1), 'Ctrl+B': () => this.#findFrom(-1),
            'Ctrl+M': () => this.#mark(),
            F2: () => this.#goToMark(1), 'Shift+F2': () => this.#goToMark(-1),
            'Ctrl+Shift+I': () => this.#addColumn(this.detail.tree.selected?.name),
            '[': () => this.#follow('request'), ']': () => this.#follow('response'),
        };
    }

    #follow(name) {
        const number = this.detail.packet?.[name];
        if (number) this.state.set({ frame: number }, { push: true });
    }

    #mark() {
        const number = this.state.number('frame');
        if (number !== undefined) this.session.toggleMark(number);
    }

    #goToMark(direction) {
        const number = this.session.markFrom(this.state.number('frame') ?? 0, direction);
        if (number !== undefined) this.state.set({ frame: number });
    }

    #addColumn(name) {
        const columns = this.state.list('columns');
        if (name && !columns.includes(name)) this.state.set({ columns: [...columns, name] });
    }

    async #goTo() {
        const values = await ask('Go to packet', [{
            name: 'number', label: `Number, 1 to ${count(this.session.file.packets)}`, type: 'number', min: 1, required: true,
            value: this.state.get('frame'),
        }], { button: 'Go' });
        if (!values) return;
        this.state.set({ frame: Math.round(Number(values.number)) }, { push: true });
        this.list.focus();
    }

    async #find() {
        const values = await ask('Find packet', [
            { name: 'expression', label: 'Display filter of the packet', value: this.#search?.expression ?? '', required: true },
        ], { button: 'Find next' });
        if (!values) return;
        this.#endSearch();
        try {
            this.#search = await this.api.startFilter(this.session.id, values.expression);
        } catch (error) {
            replace(this.find, element('span.verdict.fail', {}, error.message));
            return;
        }
        await this.#findFrom(1);
    }

    /** Selects the next or previous match found by the search so far. */
    async #findFrom(direction) {
        if (!this.#search) return this.#find();
        const { id } = this.#search;
        const here = this.state.number('frame') ?? 0;
        for (let attempt = 0; attempt < 300; attempt += 1) {
            const found = await this.api.filter(this.session.id, id, direction > 0 ? here + 1 : Math.max(here, 1));
            this.#search = found;
            const after = found.index ?? (found.state === 'running' ? undefined : found.matches);
            const index = direction > 0 ? found.index ?? undefined : after === undefined ? undefined : after - 1;
            if (index !== undefined && index >= 0) {
                const page = await this.api.packets(this.session.id, { from: index, count: 1, filter: id });
                const number = page.rows[0]?.number;
                replace(this.find, `match ${count(index + 1)} of ${count(found.matches)}`);
                this.state.set({ frame: number });
                announce(`packet ${number}`);
                return;
            }
            if (found.state !== 'running' || index < 0) break;
            replace(this.find, `searching, ${Math.floor((100 * found.scanned) / Math.max(1, this.session.file.packets))} %`);
            await new Promise(resolve => setTimeout(resolve, 100));
            if (this.#search?.id !== id) return;
        }
        replace(this.find, direction > 0 ? 'no match after this packet' : 'no match before this packet');
    }

    #endSearch() {
        if (this.#search) this.api.endFilter(this.session.id, this.#search.id).catch(() => {});
        this.#search = undefined;
    }

    #setHeight(percent) {
        const height = Math.min(90, Math.max(10, percent));
        this.divider.setAttribute('aria-valuenow', Math.round(height));
        this.root.style.setProperty('--upper', `${height}%`);
    }

    #makeDividerMovable() {
        const { divider } = this;
        divider.addEventListener('pointerdown', event => {
            divider.setPointerCapture(event.pointerId);
            const move = next => {
                const place = this.root.getBoundingClientRect();
                this.#setHeight((100 * (next.clientY - place.top)) / place.height);
            };
            divider.addEventListener('pointermove', move);
            divider.addEventListener('lostpointercapture', () => divider.removeEventListener('pointermove', move), { once: true });
        });
        divider.addEventListener('keydown', event => {
            const step = { ArrowUp: -5, ArrowDown: 5 }[event.key];
            if (!step || event.ctrlKey) return;
            this.#setHeight(Number(divider.getAttribute('aria-valuenow')) + step);
            event.preventDefault();
        });
    }
}
