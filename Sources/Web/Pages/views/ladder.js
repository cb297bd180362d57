// The ladder: PDUs between central and peripherals over time.

import { announce, debounce, element, replace, save, toolButton } from '../core/dom.js';
import { clock, count, countOf, duration, seconds, short } from '../core/format.js';
import { bindKeys } from '../core/keys.js';
import { SVGPainter } from '../core/painter.js';
import { subscribe } from '../core/session.js';
import { colours } from '../core/theme.js';
import { TimeWindow } from '../core/window.js';
import { Drawing, movingHint } from '../components/drawing.js';
import { connectionsOf, drawLadder, layoutLadder, withLanes } from '../components/ladder-chart.js';

const nothing = { from: 0, to: 0, arrows: [], density: [], gaps: [], spans: [] };

export class LadderView {
    #data = withLanes(nothing);
    #layout;
    #ends = [];
    #names = new Map();
    #known = new Set();
    #listed = '';

    constructor(context) {
        Object.assign(this, context);
        this.window = new TimeWindow(this.state, this.session);
        this.drawing = new Drawing({
            label: 'Ladder of PDUs. Arrow up and down select a PDU, Enter opens it, plus and minus zoom, 0 shows everything.',
            draw: (painter, width, height) => this.#draw(painter, width, height),
            zoom: (factor, x, y) => this.#zoom(factor, y),
            pan: (dx, dy) => this.#pan(dy),
            click: (x, y) => this.#clicked(y),
            hover: (x, y) => (y === undefined ? this.#tell() : this.#tell(this.#arrowAt(y), y)),
        });
        this.connection = element('select', {
            'aria-label': 'Connection', on: { change: () => this.state.set({ connection: this.connection.value }) },
        });
        this.note = element('div.caption.note', { role: 'status' });
        this.root = element('div.chart-view', {},
            element('div.bar.tools', {}, this.connection,
                toolButton('−', 'Zoom out', () => this.#zoom(2)), toolButton('+', 'Zoom in', () => this.#zoom(0.5)),
                toolButton('All', 'Show everything', () => this.window.showAll()),
                element('span.spread'), toolButton('SVG', 'Save as SVG', () => this.#save())),
            this.drawing.root, this.note);
        this.load = debounce(60, () => this.#load());
        this.#ends.push(
            bindKeys(this.root, {
                ArrowDown: () => this.#step(1), ArrowUp: () => this.#step(-1), Enter: () => this.#open(),
                PageDown: () => this.window.pan(0.8), PageUp: () => this.window.pan(-0.8),
                '+': () => this.#zoom(0.5), '=': () => this.#zoom(0.5), '-': () => this.#zoom(2), 0: () => this.window.showAll(),
                Home: () => this.window.showAll(),
            }),
            this.state.listen(['from', 'to', 'connection'], () => {
                this.drawing.draw();
                this.load();
            }),
            this.state.listen(['frame'], () => this.drawing.draw()),
            subscribe(this.session, 'file', () => this.window.isAll && this.load()),
            ...['verdicts', 'devices'].map(name => subscribe(this.session, name, () => this.load())));
        this.#load();
    }

    close() {
        this.drawing.close();
        for (const end of this.#ends) end();
    }

    async #load() {
        this.loading?.abort();
        this.loading = new AbortController();
        const [from, to] = this.window.range;
        let answer;
        try {
            answer = { ...nothing, ...await this.api.ladder(this.session.id, {
                from, to, connection: this.state.get('connection'), limit: 1000,
            }, this.loading.signal) };
        } catch (error) {
            if (error.name === 'AbortError') return;
            replace(this.note, element('span.verdict.fail', {}, error.message));
            return;
        }
        this.#data = withLanes(answer);
        for (const span of answer.spans) if (span.kind === 'connection') this.#names.set(span.connection, span.text);
        this.#showConnections(connectionsOf(answer));
        this.#tell();
        this.drawing.draw();
    }

    #showConnections(numbers) {
        const chosen = this.state.number('connection');
        for (const number of [...numbers, chosen]) if (number !== undefined) this.#known.add(number);
        const all = [...this.#known].sort((a, b) => a - b).map(number => ({ number, text: short(`${number} ${this.#names.get(number) ?? ''}`, 60) }));
        const listed = JSON.stringify(all);
        if (listed !== this.#listed || this.connection.options.length === 0) {
            replace(this.connection, element('option', { value: '' }, 'All connections'),
                all.map(({ number, text }) => element('option', { value: number }, text)));
        }
        this.#listed = listed;
        this.connection.value = chosen ?? '';
    }

    #draw(painter, width, height) {
        this.#layout = layoutLadder(this.#data, this.window.range, width, height);
        drawLadder(painter, this.#layout, this.#data, colours(), { selected: this.state.number('frame'), names: this.#names });
    }

    #zoom(factor, y) {
        if (!this.#layout) return;
        const { map, time } = this.#layout;
        const place = y ?? 30 + map.size / 2;
        const from = 30 + (place - 30) * (1 - factor);
        this.window.set(time(from), time(from + map.size * factor));
    }

    #pan(dy) {
        const { map, time } = this.#layout ?? {};
        if (!map || this.window.isAll) return;
        const [from, to] = this.window.range;
        const moved = time(30 + dy) - from;
        this.window.set(from + moved, to + moved);
    }

    #arrowAt(y) {
        if (!this.#layout) return undefined;
        const near = this.#data.arrows.map(arrow => [Math.abs(this.#layout.y(arrow.time) - y), arrow]).sort((a, b) => a[0] - b[0])[0];
        return near && near[0] < 12 ? near[1] : undefined;
    }

    #clicked(y) {
        const arrow = this.#arrowAt(y);
        if (arrow) {
            // A second click opens the packet.
            if (this.state.number('frame') === arrow.number) return this.#open();
            this.state.set({ frame: arrow.number });
            this.#tell(arrow);
        } else if (this.#data.density.length > 0) {
            this.#zoom(0.2, y);
        }
    }

    #step(direction) {
        const { arrows } = this.#data;
        if (arrows.length === 0) return;
        const place = arrows.findIndex(arrow => arrow.number === this.state.number('frame'));
        const next = arrows[Math.min(Math.max(place < 0 ? 0 : place + direction, 0), arrows.length - 1)];
        this.state.set({ frame: next.number });
        this.#tell(next);
        announce(`packet ${next.number}, ${next.direction}, ${next.info}`);
    }

    #open() {
        if (this.state.number('frame') !== undefined) this.state.set({ view: 'packets' }, { push: true });
    }

    /** Describes the item under the pointer in one line. */
    #tell(arrow, y) {
        const span = y !== undefined && this.#data.spans.find(({ from, to }) => from <= this.#layout?.time(y) && to >= this.#layout.time(y));
        replace(this.note, arrow
            ? [`${count(arrow.number)}  ${seconds(arrow.time)} s  ${arrow.direction === 'received' ? '←' : '→'} `,
                element('span.foreign', {}, short(arrow.info)),
                arrow.latency === undefined ? '' : `  (${duration(arrow.latency)})`,
                arrow.rules?.length > 0 ? `  breaks ${arrow.rules.join(', ')}` : '',
                element('button.text', { type: 'button', on: { click: () => this.state.set({ view: 'packets', frame: arrow.number }, { push: true }) } }, ' open')]
            : y !== undefined && this.#layout
                ? [`${seconds(this.#layout.time(y))} s `, span ? element('span.foreign', {}, span.text) : '']
                : this.#summary());
    }

    #summary() {
        const [from, to] = this.window.range;
        const packets = this.#data.arrows.length || this.#data.density.reduce((sum, part) => sum + part.count, 0);
        const start = this.session.file.start ? `  from ${clock(Date.parse(this.session.file.start) / 1000 + from)} UTC` : '';
        return `${count(packets)} PDUs in ${duration(to - from)}${start}.${this.#omission()} ${movingHint}`;
    }

    /** States the connections without a lane. */
    #omission() {
        const { connections, arrows } = this.#data.omitted;
        if (connections === 0) return '';
        return ` Not drawn: ${countOf(connections, 'more connection')}${arrows > 0 ? ` with ${countOf(arrows, 'PDU')}` : ''}. Choose one, or zoom in.`;
    }

    #save() {
        const { width, height } = this.drawing;
        const colour = colours();
        const painter = new SVGPainter(width, height, colour.ground);
        drawLadder(painter, layoutLadder(this.#data, this.window.range, width, height), this.#data, colour, { names: this.#names });
        save('ladder.svg', painter.toString(), 'image/svg+xml');
    }
}
