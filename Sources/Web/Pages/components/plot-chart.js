// Draws series over time: a panel for each unit, envelopes of the lowest and highest values, gaps as gaps.

import { linearScale, linearTicks, padded, timeTickLabel, timeTicks } from '../core/axis.js';
import { number } from '../core/format.js';

const margin = { left: 64, right: 14, top: 22, bottom: 26, between: 30 };
/** Beyond four series the lines differ by their dashes, too. */
const dashes = [[], [], [], [], [6, 3], [6, 3], [2, 3], [2, 3]];

/** Columns of a point, see `Plot` in docs/web-api.yaml. */
export const point = { time: 0, low: 1, high: 2, last: 3, number: 4, values: 5 };

/** The places of plots: panels with their scales. */
export function layoutPlots(plots, range, width, height) {
    const units = [...new Set(plots.map(plot => plot.unit ?? ''))];
    const left = width < 500 ? 46 : margin.left;
    const x = linearScale(range[0], range[1], left, width - margin.right);
    const room = (height - margin.top - margin.bottom - margin.between * (units.length - 1)) / Math.max(1, units.length);
    const panels = units.map((unit, index) => {
        const members = plots.filter(plot => (plot.unit ?? '') === unit);
        const [low, high] = padded(...extent(members, range));
        const top = margin.top + index * (room + margin.between);
        return { unit, plots: members, top, bottom: top + room, y: linearScale(low, high, top + room, top) };
    });
    return { x, panels, left, right: width - margin.right, width, height };
}

function extent(plots, range) {
    let low = Infinity;
    let high = -Infinity;
    for (const plot of plots) {
        for (const value of plot.points) {
            if (value[point.time] < range[0] || value[point.time] > range[1]) continue;
            low = Math.min(low, value[point.low]);
            high = Math.max(high, value[point.high]);
        }
    }
    return low <= high ? [low, high] : [0, 1];
}

/** Draws; `cursor` is a time. */
export function drawPlots(painter, layout, colour, cursor) {
    for (const panel of layout.panels) drawPanel(painter, layout, panel, colour);
    drawTime(painter, layout, colour);
    if (cursor === undefined) return;
    const x = layout.x(cursor);
    painter.line([[x, layout.panels[0]?.top ?? 0], [x, layout.panels.at(-1)?.bottom ?? 0]], { stroke: colour.edge, dash: [3, 3] });
    for (const panel of layout.panels) {
        for (const plot of panel.plots) {
            const value = valueAt(plot, cursor);
            if (value) painter.circle(layout.x(value[point.time]), panel.y(value[point.last]), 3.5, { fill: colour.ground, stroke: colour.series[plot.place] });
        }
    }
}

function drawPanel(painter, layout, panel, colour) {
    const { y, top, bottom } = panel;
    for (const tick of linearTicks(y.from, y.to, (bottom - top) / 42)) {
        const place = y(tick);
        painter.line([[layout.left, place], [layout.right, place]], { stroke: colour.faint });
        painter.text(number(tick, 12), layout.left - 8, place, { fill: colour.muted, size: 11, align: 'end' });
    }
    painter.line([[layout.left, bottom], [layout.right, bottom]], { stroke: colour.line });
    if (panel.unit) painter.text(panel.unit, layout.left, top - 11, { fill: colour.muted, size: 11 });
    for (const plot of panel.plots) drawSeries(painter, layout, panel, plot, colour.series[plot.place]);
}

function drawSeries(painter, layout, panel, plot, hue) {
    for (const run of runs(plot.points, plot.gap)) {
        if (run.some(value => value[point.high] > value[point.low])) {
            const upper = run.map(value => [layout.x(value[point.time]), panel.y(value[point.high])]);
            const lower = run.map(value => [layout.x(value[point.time]), panel.y(value[point.low])]);
            painter.polygon([...upper, ...lower.reverse()], { fill: hue, opacity: 0.22 });
        }
        const line = run.map(value => [layout.x(value[point.time]), panel.y(value[point.last])]);
        if (line.length > 1) painter.line(line, { stroke: hue, width: 1.5, dash: dashes[plot.place] ?? [] });
        const isSparse = plot.points.length < (layout.right - layout.left) / 7;
        if (isSparse || line.length === 1) for (const [x, y] of line) painter.circle(x, y, 2, { fill: hue });
    }
}

/** Points without a gap between them. */
function runs(points, gap) {
    const result = [];
    for (const value of points) {
        const before = result.at(-1)?.at(-1);
        if (before && value[point.time] - before[point.time] <= (gap || Infinity)) result.at(-1).push(value);
        else result.push([value]);
    }
    return result;
}

function drawTime(painter, layout, colour) {
    const { x, left, right, height } = layout;
    let end = -Infinity;
    for (const tick of timeTicks(x.from, x.to, (right - left) / 110)) {
        const place = x(tick);
        const text = timeTickLabel(tick, x.to - x.from);
        const width = painter.measure(text, { size: 11 });
        painter.line([[place, height - margin.bottom], [place, height - margin.bottom + 4]], { stroke: colour.edge });
        if (place - width / 2 < end + 8 || place + width / 2 > layout.width) continue;
        end = place + width / 2;
        painter.text(text, place, height - margin.bottom + 14, { fill: colour.muted, size: 11, align: 'middle' });
    }
}

/** The point nearest to a time; none across a gap. */
export function valueAt(plot, time) {
    const { points } = plot;
    if (points.length === 0) return undefined;
    let low = 0;
    let high = points.length - 1;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (points[middle][point.time] < time) low = middle + 1;
        else high = middle;
    }
    const after = points[low];
    const before = points[Math.max(0, low - 1)];
    return time - before[point.time] < Math.abs(after[point.time] - time) ? before : after;
}
