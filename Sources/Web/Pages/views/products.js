// A page for each device that a plugin describes: the last values of its characteristics, and its twin.

import { element, replace } from '../core/dom.js';
import { follow } from '../core/follow.js';
import { duration, short } from '../core/format.js';
import { CanvasPainter } from '../core/painter.js';
import { linearScale, padded } from '../core/axis.js';
import { colours } from '../core/theme.js';
import { point } from '../components/plot-chart.js';
import { TwinPanel } from '../components/twin-panel.js';

/** Entries without information about a product: descriptors, and fields without a meaning. */
const configuration = 'Client Characteristic Configuration';
const meaningless = /(^|\s)(reserved\d*|padding)$/i;
/** Number of series requested at a time. */
const partSize = 8;

export class ProductsView {
    #ends = [];
    #series = new Map();
    #sparklines = new Map();
    #isDrawing = false;
    #isStale = false;

    constructor(context) {
        Object.assign(this, context);
        this.twin = new TwinPanel(this.api);
        this.body = element('div.products');
        this.root = element('div.page-view.one', {}, element('div.part', { tabindex: '0', role: 'region', 'aria-label': 'Products' }, this.twin.root, this.body));
        const products = follow(this.session, 'products', {
            show: answer => this.#loaded(answer), fail: error => replace(this.body, element('p.empty', {}, error.message)),
        });
        const series = follow(this.session, 'series', { show: answer => this.#loadedSeries(answer), fail: () => {} });
        this.#ends.push(products.close, series.close);
    }

    close() {
        for (const end of this.#ends) end();
    }

    #loaded(answer) {
        const signature = JSON.stringify(answer.products);
        if (signature === this.signature && answer.products.length > 0) return;
        this.signature = signature;
        if (answer.products.length === 0) {
            return replace(this.body, element('p.empty', {}, answer.state === 'running' ? 'Reading …' : 'No plugin describes a device of this capture.'));
        }
        this.#sparklines.clear();
        replace(this.body, answer.products.map(product => this.#product(product)));
        this.#drawAll();
    }

    #product(product) {
        const values = product.values.filter(value => !meaningless.test(value.label) && value.characteristic !== configuration);
        // Most recent change first.
        const groups = [...Map.groupBy(values, value => value.characteristic ?? 'Values')].sort((a, b) => latestOf(b[1]) - latestOf(a[1]));
        return element('section.product', {},
            element('h2', {}, product.title, ' ', element('span.muted.foreign', {}, short([product.device, product.address !== product.device && product.address].filter(Boolean).join('  '), 160))),
            element('div.cards', {}, groups.map(([characteristic, values]) => this.#card(characteristic, values, product))));
    }

    #card(characteristic, values, product) {
        const latest = latestOf(values);
        return element('section.card', { 'aria-label': characteristic },
            element('h3.foreign', {}, short(characteristic, 120)),
            element('dl', {}, values.map(value => this.#value(value, product))),
            element('p.muted', {}, element('a', { href: this.state.link({ view: 'packets', frame: values.find(value => value.time === latest)?.number }) }, `at ${duration(latest, 6)}`)));
    }

    #value(value, product) {
        const isShare = value.unit === '%' && typeof value.value === 'number';
        const canvas = typeof value.value === 'number' ? element('canvas.sparkline', { 'aria-hidden': 'true', hidden: true }) : null;
        if (canvas) this.#sparklines.set(canvas, { field: value.field, product });
        return [
            element('dt', {}, canvas ? element('a', { href: this.state.link({ view: 'plots', field: value.field }) }, value.label) : value.label),
            element('dd', {}, element('span.value.foreign', {}, short(value.text, 400)),
                isShare ? element('meter', { min: 0, max: 100, low: 20, optimum: 100, value: value.value, 'aria-label': value.label }) : null, canvas),
        ];
    }

    #loadedSeries(answer) {
        this.#series = new Map(answer.series.filter(series => series.count > 1 && series.min !== series.max).map(series => [series.id, series]));
        this.#drawAll();
    }

    async #drawAll() {
        this.#isStale = true;
        if (this.#isDrawing) return;
        this.#isDrawing = true;
        while (this.#isStale && this.body.isConnected) {
            this.#isStale = false;
            const wanted = [...this.#sparklines]
                .map(([canvas, { field, product }]) => ({ canvas, series: this.#series.get(`${field}@${product.address}`) }))
                .filter(item => item.series);
            // One part at a time: the server keeps the plots of few series.
            for (let start = 0; start < wanted.length && this.body.isConnected; start += partSize) {
                await this.#draw(wanted.slice(start, start + partSize));
            }
        }
        this.#isDrawing = false;
    }

    async #draw(part) {
        const ids = [...new Set(part.map(item => item.series.id))];
        let answer;
        do {
            if (answer) await new Promise(resolve => setTimeout(resolve, 300));
            answer = await this.api.plots(this.session.id, ids, { points: 120 }).catch(() => ({ plots: [] }));
        } while (this.body.isConnected && answer.plots.some(plot => plot.state === 'running'));
        for (const { canvas, series } of part) {
            const plot = answer.plots.find(item => item.id === series.id);
            if (plot?.points.length > 1) drawSparkline(canvas, plot, [answer.from, answer.to]);
        }
    }
}

function latestOf(values) {
    return Math.max(...values.map(value => value.time));
}

function drawSparkline(canvas, plot, [from, to]) {
    const [width, height] = [120, 22];
    canvas.hidden = false;
    const painter = new CanvasPainter(canvas, width, height);
    const lows = Math.min(...plot.points.map(value => value[point.low]));
    const highs = Math.max(...plot.points.map(value => value[point.high]));
    const x = linearScale(from, to, 2, width - 3);
    const y = linearScale(...padded(lows, highs), height - 2, 2);
    const places = plot.points.map(value => [x(value[point.time]), y(value[point.last])]);
    painter.line(places, { stroke: colours().accent, width: 1.25 });
    painter.circle(...places.at(-1), 2, { fill: colours().accent });
}
