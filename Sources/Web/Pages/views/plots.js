// Numeric fields over time.

import { announce, debounce, element, replace, save, toolButton } from '../core/dom.js';
import { follow } from '../core/follow.js';
import { count, csvCell, duration, number, seconds, short } from '../core/format.js';
import { bindKeys } from '../core/keys.js';
import { CanvasPainter, SVGPainter } from '../core/painter.js';
import { subscribe } from '../core/session.js';
import { colours } from '../core/theme.js';
import { TimeWindow } from '../core/window.js';
import { Drawing, movingHint } from '../components/drawing.js';
import { drawPlots, layoutPlots, point, valueAt } from '../components/plot-chart.js';

const limit = 8;

export class PlotsView {
    #series = [];
    #plots = [];
    #layout;
    #cursor;
    #ends = [];
    #search = '';

    constructor(context) {
        Object.assign(this, context);
        this.window = new TimeWindow(this.state, this.session);
        this.drawing = new Drawing({
            label: 'Plot. Arrow left and right move from value to value, Enter opens the packet, plus and minus zoom, 0 shows everything.',
            draw: (painter, width, height) => this.#draw(painter, width, height),
            zoom: (factor, x) => this.window.zoom(factor, this.#layout?.x.invert(x)),
            pan: (dx, dy) => this.#pan(Math.abs(dx) > Math.abs(dy) ? dx : dy),
            click: (x, y) => this.#clicked(x, y),
            hover: x => this.#moveCursor(x === undefined ? undefined : this.#layout?.x.invert(x)),
        });
        this.search = element('input', {
            type: 'text', placeholder: 'Find a field', 'aria-label': 'Find a field', spellcheck: 'false',
            on: { input: () => ((this.#search = this.search.value.toLowerCase()), this.#showList()) },
        });
        this.list = element('div.series-list', { role: 'group', 'aria-label': 'Fields to plot' });
        this.legend = element('div.legend');
        this.note = element('div.caption.note', { role: 'status' });
        this.root = element('div.plots-view', {},
            element('aside.side', { 'aria-label': 'Fields' }, this.search, this.list),
            element('div.chart-view', {},
                element('div.bar.tools', {},
                    toolButton('−', 'Zoom out', () => this.window.zoom(2)), toolButton('+', 'Zoom in', () => this.window.zoom(0.5)),
                    toolButton('All', 'Show everything', () => this.window.showAll()), element('span.spread'),
                    toolButton('PNG', 'Save as PNG', () => this.#savePNG()), toolButton('SVG', 'Save as SVG', () => this.#saveSVG()),
                    toolButton('CSV', 'Save as CSV', () => this.#saveCSV())),
                this.legend, this.drawing.root, this.note));
        this.load = debounce(80, () => this.#load());
        this.#ends.push(
            bindKeys(this.drawing.root, {
                ArrowRight: () => this.#step(1), ArrowLeft: () => this.#step(-1), Enter: () => this.#open(this.#cursor),
                '+': () => this.window.zoom(0.5, this.#cursor), '=': () => this.window.zoom(0.5, this.#cursor),
                '-': () => this.window.zoom(2, this.#cursor), 0: () => this.window.showAll(),
                PageDown: () => this.window.pan(0.8), PageUp: () => this.window.pan(-0.8),
            }),
            this.state.listen(['series'], () => {
                this.#showList();
                this.load();
            }),
            this.state.listen(['from', 'to'], () => {
                this.drawing.draw();
                this.load();
            }),
            subscribe(this.session, 'plots', () => this.load()));
        this.following = follow(this.session, 'series', {
            show: answer => this.#loadedSeries(answer),
            fail: error => replace(this.list, element('p.notice.fail', {}, error.message)),
        });
    }

    close() {
        this.drawing.close();
        this.following.close();
        for (const end of this.#ends) end();
    }

    get #chosen() {
        return this.state.list('series').slice(0, limit);
    }

    #loadedSeries(answer) {
        const isFirst = this.searching === undefined;
        const isLive = this.session.file.live;
        const signature = JSON.stringify(answer);
        if (signature === this.signature) return;
        this.signature = signature;
        this.#series = answer.series;
        this.searching = answer.state === 'running' && !isLive;
        this.scanned = answer.scanned;
        this.#chooseField();
        this.#showList();
        this.#label();
        if (this.#plots.length > 0) this.#show();
        if (isFirst || isLive) this.load();
    }

    /** Selects the series of the field requested by another view, or the first few. */
    #chooseField() {
        const field = this.state.get('field');
        if (field) {
            const found = this.#series.filter(series => series.field === field).map(series => series.id);
            if (found.length > 0) this.state.set({ field: undefined, series: [...new Set([...this.#chosen, ...found])].slice(-limit) });
            else if (!this.searching) {
                replace(this.note, `${field} has no numbers in this file that can be plotted.`);
                this.state.set({ field: undefined });
            }
        } else if (this.#chosen.length === 0 && !this.searching && this.#series.length > 0) {
            const best = this.#series.filter(series => series.count > 1 && series.min !== series.max).slice(0, 2);
            this.state.set({ series: (best.length > 0 ? best : this.#series.slice(0, 1)).map(series => series.id) });
        }
    }

    #showList() {
        const chosen = this.#chosen;
        const matching = this.#series.filter(series =>
            `${series.group ?? ''} ${series.label} ${series.field}`.toLowerCase().includes(this.#search)).slice(0, 1000);
        const groups = Map.groupBy(matching, series => series.group ?? '');
        replace(this.list,
            this.searching ? element('p.muted', {}, `Searching, ${count(this.scanned)} packets so far …`) : null,
            !this.searching && this.#series.length === 0 ? element('p.muted', {}, 'No numeric field was found.') : null,
            [...groups].map(([group, members]) => element('fieldset', {},
                element('legend.foreign', {}, short(group || 'Capture', 120)),
                members.map(series => element('label.series', { title: series.field },
                    element('input', {
                        type: 'checkbox', checked: chosen.includes(series.id), disabled: !chosen.includes(series.id) && chosen.length >= limit,
                        on: { change: event => this.#choose(series.id, event.target.checked) },
                    }),
                    element('span.foreign', {}, short(series.label, 120)),
                    element('span.muted', {}, [series.unit, count(series.count)].filter(Boolean).join(' · ')))))));
    }

    #choose(id, isOn) {
        this.state.set({ series: isOn ? [...this.#chosen, id] : this.#chosen.filter(other => other !== id) });
    }

    async #load() {
        const chosen = this.#chosen;
        this.loading?.abort();
        if (chosen.length === 0) {
            this.#plots = [];
            this.#show();
            return;
        }
        this.loading = new AbortController();
        const [from, to] = this.window.range;
        try {
            const points = Math.min(4000, Math.max(100, Math.round(this.drawing.width) || 800));
            const answer = await this.api.plots(this.session.id, chosen, { from, to, points }, this.loading.signal);
            this.#plots = answer.plots.map(plot => ({ ...plot, place: chosen.indexOf(plot.id) }));
            this.#label();
            this.#show();
            if (answer.plots.some(plot => plot.state === 'running')) setTimeout(this.load, 400);
        } catch (error) {
            if (error.name !== 'AbortError') replace(this.note, element('span.verdict.fail', {}, error.message));
        }
    }

    /** Labels the plots with their series, which may be found later than the values. */
    #label() {
        const known = new Map(this.#series.map(series => [series.id, series]));
        this.#plots = this.#plots.map(plot => {
            const series = known.get(plot.id);
            return { ...series, ...plot, unit: plot.unit ?? series?.unit, label: series?.label ?? plot.id };
        });
    }

    #show() {
        this.#showLegend();
        this.drawing.draw();
        const values = this.#plots.reduce((sum, plot) => sum + plot.points.reduce((all, value) => all + value[point.values], 0), 0);
        const reading = this.#plots.some(plot => plot.state === 'running') ? ', reading' : '';
        const [from, to] = this.window.range;
        replace(this.note, this.#plots.length === 0 ? 'Choose fields to plot.'
            : `${count(values)} values in ${duration(to - from)}${reading}. ${movingHint} A click goes to the packet.`);
    }

    #showLegend() {
        const { series } = colours();
        replace(this.legend, element('table', {}, element('thead', {}, element('tr', {},
            ['', 'Field', 'Value', 'Lowest', 'Highest', 'Values'].map((title, index) =>
                element('th', { scope: 'col', class: index > 1 ? 'number' : '' }, title || element('span.unseen', {}, 'Colour'))))),
        element('tbody', {}, this.#plots.map(plot => {
            const swatch = element('span.swatch');
            swatch.style.background = series[plot.place];
            const unit = plot.unit ? ` ${plot.unit}` : '';
            const value = this.#cursor === undefined ? plot.points.at(-1) : valueAt(plot, this.#cursor);
            const all = plot.points;
            return element('tr', {}, element('td', {}, swatch), element('td.foreign', {}, short([plot.group, plot.label].filter(Boolean).join(' / '), 120)),
                element('td.number', {}, value ? number(value[point.last]) + unit : '–'),
                element('td.number', {}, all.length > 0 ? number(Math.min(...all.map(item => item[point.low]))) : '–'),
                element('td.number', {}, all.length > 0 ? number(Math.max(...all.map(item => item[point.high]))) : '–'),
                element('td.number', {}, count(all.reduce((sum, item) => sum + item[point.values], 0))));
        }))));
        this.legend.hidden = this.#plots.length === 0;
    }

    #draw(painter, width, height) {
        this.#layout = layoutPlots(this.#plots, this.window.range, width, height);
        drawPlots(painter, this.#layout, colours(), this.#cursor);
    }

    #pan(pixels) {
        if (this.#layout && !this.window.isAll) this.window.pan(pixels / (this.#layout.right - this.#layout.left));
    }

    #moveCursor(time) {
        this.#cursor = time;
        this.#showLegend();
        this.drawing.draw();
    }

    #clicked(x, y) {
        const panel = this.#layout?.panels.find(({ top, bottom }) => y >= top && y <= bottom);
        this.#open(this.#layout?.x.invert(x), panel, y);
    }

    /** Goes to the packet of the nearest value. */
    #open(time, panel, y) {
        if (time === undefined) return;
        const near = (panel?.plots ?? this.#plots).map(plot => ({ plot, value: valueAt(plot, time) })).filter(item => item.value);
        const distance = ({ value }) => Math.abs(this.#layout.x(value[point.time]) - this.#layout.x(time))
            + (panel ? Math.abs(panel.y(value[point.last]) - y) : 0);
        const best = near.sort((a, b) => distance(a) - distance(b))[0];
        if (best) this.state.set({ view: 'packets', frame: best.value[point.number] }, { push: true });
    }

    #step(direction) {
        const [from, to] = this.window.range;
        const times = [...new Set(this.#plots.flatMap(plot => plot.points.map(value => value[point.time])))]
            .filter(time => time >= from && time <= to).sort((a, b) => a - b);
        const here = this.#cursor ?? from;
        const next = direction > 0 ? times.find(time => time > here) ?? times.at(-1) : times.findLast(time => time < here) ?? times[0];
        if (next === undefined) return;
        this.#moveCursor(next);
        announce(`${seconds(next)} s: ${this.#plots.map(plot => {
            const value = valueAt(plot, next);
            return value ? `${plot.label} ${number(value[point.last])} ${plot.unit ?? ''}` : '';
        }).join(', ')}`);
    }

    #savePNG() {
        const canvas = document.createElement('canvas');
        const { width, height } = this.drawing;
        const painter = new CanvasPainter(canvas, width, height, 2);
        const colour = colours();
        painter.rectangle(0, 0, width, height, { fill: colour.ground });
        drawPlots(painter, layoutPlots(this.#plots, this.window.range, width, height), colour);
        canvas.toBlob(content => save('plot.png', content, 'image/png'));
    }

    #saveSVG() {
        const { width, height } = this.drawing;
        const colour = colours();
        const painter = new SVGPainter(width, height, colour.ground);
        drawPlots(painter, layoutPlots(this.#plots, this.window.range, width, height), colour);
        save('plot.svg', painter.toString(), 'image/svg+xml');
    }

    #saveCSV() {
        const lines = ['series,unit,time,lowest,highest,last,packet,values'];
        for (const plot of this.#plots) {
            for (const value of plot.points) lines.push([plot.id, plot.unit, ...value].map(csvCell).join(','));
        }
        save('plot.csv', lines.join('\n') + '\n', 'text/csv');
    }
}
