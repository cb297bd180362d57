// The details of a packet: summary, diagnostics, fields and bytes.

import { element, replace } from '../core/dom.js';
import { bytesOfHex, clock, duration, filePath, hex, short } from '../core/format.js';
import { copy, copyItems, cArray } from './copy.js';
import { FieldTree } from './field-tree.js';
import { HexView } from './hex-view.js';
import { showMenu, showMenuBelow } from './menu.js';

const bufferNames = { frame: 'Frame', reassembled: 'Reassembled PDU', sdu: 'Whole value' };

export class Detail {
    #packet;
    #buffer = 0;
    #wanted;

    /** `context` has `api`, `state` and `session`; `actions` has `filter(text)`, `addColumn(name)`, `go(number)`, `plot(name)`. */
    constructor(context, actions) {
        Object.assign(this, context, { actions });
        this.tree = new FieldTree({
            onSelect: node => this.#selected(node),
            onHover: node => this.#light(node),
            onMenu: (node, x, y) => showMenu(x, y, this.#menu(node), `Field ${node.label}`),
        });
        this.hex = new HexView({
            onHover: offset => this.#light(offset === undefined ? undefined : this.tree.nodeAt(offset, this.#buffer)),
            onSelect: offset => this.tree.selectByte(offset, this.#buffer),
        });
        this.heading = element('div.detail-head');
        this.buffers = element('div.bar.buffers', { role: 'group', 'aria-label': 'Bytes of' });
        this.caption = element('div.caption.muted');
        this.root = element('section.detail', { 'aria-label': 'Packet detail' }, this.heading,
            element('div.detail-panes', {}, this.tree.root,
                element('div.hex-pane', {}, this.buffers, this.hex.root, this.caption)));
        this.clear();
    }

    /** Shows nothing. */
    clear() {
        this.#packet = undefined;
        this.#wanted = undefined;
        this.root.classList.add('nothing');
        replace(this.heading, element('span.muted', {}, 'Select a packet.'));
        this.tree.show([]);
        this.hex.show(new Uint8Array(0));
        replace(this.buffers);
        replace(this.caption);
    }

    /** Loads and shows a packet. */
    async show(number) {
        if (number === this.#wanted) return;
        this.#wanted = number;
        this.loading?.abort();
        this.loading = new AbortController();
        try {
            const packet = await this.api.packet(this.session.id, number, this.loading.signal);
            if (this.#wanted === number) this.#show(packet);
        } catch (error) {
            if (error.name === 'AbortError') return;
            this.clear();
            replace(this.heading, element('p.notice.fail', {}, error.message));
        }
    }

    /** Reloads the packet. */
    reload() {
        const number = this.#wanted;
        this.#wanted = undefined;
        if (number !== undefined) this.show(number);
    }

    get packet() {
        return this.#packet;
    }

    #show(packet) {
        this.#packet = packet;
        this.#buffer = 0;
        this.root.classList.remove('nothing');
        replace(this.heading, this.#title(), this.#links(), packet.diagnoses.map(diagnosisLine), packet.findings.map(finding =>
            this.#finding(finding)));
        this.#showBuffer(0);
        this.tree.show(packet.tree);
    }

    #title() {
        const { row, epoch } = this.#packet;
        return element('div.bar', {},
            element('h2', {}, `Packet ${row.number}`),
            element('span.muted', { title: epoch }, clock(Date.parse(epoch) / 1000)),
            this.#packet.comment ? element('span.foreign', {}, `# ${short(this.#packet.comment, 300)}`) : null,
            element('span.spread'),
            element('button', {
                type: 'button', 'aria-haspopup': 'menu',
                on: { click: event => showMenuBelow(event.currentTarget, this.#packetMenu(), 'Packet') },
            }, 'Copy ▾'));
    }

    #links() {
        const { request, response, latency, attribute } = this.#packet;
        const go = (text, number) => element('button.text', { type: 'button', on: { click: () => this.actions.go(number) } }, text);
        const parts = [
            request ? go(`request: packet ${request}`, request) : null,
            response ? go(`response: packet ${response}`, response) : null,
            latency === undefined ? null : element('span', {}, `answered in ${duration(latency)}`),
            attribute ? element('a', {
                href: this.state.link({ view: 'devices', part: 'tables', server: attribute.server ?? '', handle: attribute.handle }),
            }, element('span.foreign', {}, [hex(attribute.handle), attribute.service, attribute.owner, attribute.name].filter(Boolean).join(' / ')),
            element('span.muted', {}, ` (${attribute.confidence})`)) : null,
        ].filter(Boolean);
        return parts.length > 0 ? element('div.bar.links', {}, parts) : null;
    }

    #finding(finding) {
        return element('div.notice', { class: finding.verdict === 'fail' ? 'fail' : '' },
            element('a', { href: this.state.link({ view: 'verdicts', rule: finding.rule }) }, finding.rule),
            ` ${finding.text}`,
            element('div.foreign', {}, `expected ${finding.expected}; observed ${finding.observed}`),
            finding.hint ? element('div.muted', {}, finding.hint) : null);
    }

    #showBuffer(index) {
        this.#buffer = index;
        const { buffers } = this.#packet;
        replace(this.buffers, buffers.length < 2 ? [] : buffers.map((buffer, place) => element('button', {
            type: 'button', 'aria-pressed': String(place === index), on: { click: () => this.#showBuffer(place) },
        }, bufferNames[buffer.name] ?? buffer.name)));
        const text = buffers[index]?.hex ?? '';
        // Bytes of keys are masked by the server.
        this.hex.show(bytesOfHex(text.replaceAll('*', '0')), text);
    }

    #selected(node) {
        if (!node.generated && node.length > 0 && node.buffer !== this.#buffer) this.#showBuffer(node.buffer);
        this.#light(undefined);
    }

    #light(hovered) {
        const ranges = [];
        for (const [node, kind] of [[this.tree.selected, 'selected'], [hovered, 'hovered']]) {
            if (!node || node.generated || node.length === 0 || node.buffer !== this.#buffer) continue;
            ranges.push({ start: node.offset, end: node.offset + node.length, kind, mask: node.mask });
        }
        this.hex.light(ranges);
        const node = hovered ?? this.tree.selected;
        replace(this.caption, node ? caption(node) : '');
    }

    #menu(node) {
        const { filter, addColumn, plot } = this.actions;
        const current = this.session.filterText;
        const items = [];
        if (node.filter) {
            items.push({ text: 'Apply as filter', action: () => filter(node.filter) });
            items.push({ text: 'Apply as filter: not selected', action: () => filter(`!(${node.filter})`) });
            if (current) items.push({ text: 'Apply as filter: … and selected', action: () => filter(`(${current}) && ${node.filter}`) });
            if (current) items.push({ text: 'Apply as filter: … or selected', action: () => filter(`(${current}) || ${node.filter}`) });
        }
        if (node.name) items.push({ text: 'Add as column', action: () => addColumn(node.name) });
        if (node.name && typeof node.value === 'number') items.push({ text: 'Plot over time', action: () => plot(node.name) });
        return [...items, null, ...copyItems(node, this.#packet, filePath(this.session.file))];
    }

    #packetMenu() {
        const { row, buffers } = this.#packet;
        const frame = buffers[0]?.hex ?? '';
        const items = [
            { text: 'Copy the row', action: () => copy([row.number, row.time, row.source, row.destination, row.protocol, row.length, row.info].join('\t'), 'row') },
            { text: 'Copy as JSON', action: () => copy(JSON.stringify(this.#packet, null, 2), 'packet') },
        ];
        if (frame && !frame.includes('*')) {
            items.push({ text: 'Copy as hex', action: () => copy(frame, 'hex') });
            items.push({ text: 'Copy as C array', action: () => copy(cArray(frame, `packet_${row.number}`), 'C array') });
        }
        items.push({ text: 'Copy the address of this view', action: () => copy(location.href, 'address') });
        return items;
    }
}

function diagnosisLine(diagnosis) {
    return element('div.notice', { class: diagnosis.severity === 'error' ? 'fail' : '' },
        element('span.severity', { class: diagnosis.severity }, diagnosis.severity),
        ` ${diagnosis.layer}, offset ${diagnosis.offset}: `, element('span.foreign', {}, diagnosis.text));
}

function caption(node) {
    const place = node.generated ? 'derived from other packets'
        : node.length === 1 ? `byte ${node.offset}` : `bytes ${node.offset} to ${node.offset + node.length - 1}`;
    return [node.name || node.label, place, node.mask ? `mask 0x${node.mask}` : ''].filter(Boolean).join('   ');
}
