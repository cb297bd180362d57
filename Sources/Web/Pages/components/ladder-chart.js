// Draws the ladder: lanes of central and peripherals, PDUs as arrows down a time axis, breaks, spans and findings.

import { timeTickLabel, timeTicks } from '../core/axis.js';
import { duration, count, short } from '../core/format.js';
import { timeMap } from '../core/time-map.js';

const top = 30;
const bottom = 10;
const laneLimit = 8;
const labelPitch = 15;
const spanKinds = ['connection', 'interval', 'mtu', 'encryption'];

/** The part of a ladder that has lanes: `connections`, their arrows and spans; `omitted` counts the others. */
export function withLanes(data) {
    const all = connectionsOf(data);
    const connections = all.slice(0, laneLimit);
    const hasLane = ({ connection }) => connections.includes(connection);
    const arrows = data.arrows.filter(hasLane);
    return {
        ...data, connections, arrows, spans: data.spans.filter(hasLane),
        omitted: { connections: all.length - connections.length, arrows: data.arrows.length - arrows.length },
    };
}

/** The places of a ladder: the lanes, the time map and the row of each arrow. */
export function layoutLadder(data, range, width, height) {
    const isNarrow = width < 640;
    const map = timeMap(range[0], range[1], height - top - bottom, data.gaps);
    const axis = isNarrow ? 58 : 92;
    const spans = isNarrow ? spanKinds.length * 7 : 150;
    const { connections } = data;
    const left = axis + spans + (isNarrow ? 10 : 24);
    const right = width - (isNarrow ? 14 : 70);
    const lanes = Math.max(1, connections.length);
    const lane = connection => (lanes === 1 ? right : left + ((right - left) * (connections.indexOf(connection) + 1)) / lanes);
    return { map, axis, left, right, lane, connections, isNarrow, width, height, y: time => top + map.pixel(time), time: y => map.time(y - top) };
}

/** Numbers of the connections with arrows or spans, in order. */
export function connectionsOf(data) {
    const numbers = [...data.arrows, ...data.spans].map(item => item.connection).filter(number => number !== undefined && number !== null);
    return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Draws the result of `withLanes`; `selected` is the number of a packet. */
export function drawLadder(painter, layout, data, colour, { selected, names }) {
    drawAxis(painter, layout, colour);
    drawLanes(painter, layout, colour, names);
    drawSpans(painter, layout, data.spans, colour);
    if (data.density.length > 0) drawDensity(painter, layout, data.density, colour);
    drawBreaks(painter, layout, colour);
    drawArrows(painter, layout, data.arrows, colour, selected);
}

function drawAxis(painter, layout, colour) {
    const { map, axis, right } = layout;
    const pieces = [];
    let from = map.from;
    for (const gap of map.breaks) {
        pieces.push([from, gap.from]);
        from = gap.to;
    }
    pieces.push([from, map.to]);
    let last = -Infinity;
    for (const [start, end] of pieces) {
        const pixels = (end - start) * map.scale;
        if (pixels < 30) continue;
        for (const tick of timeTicks(start, end, pixels / 70)) {
            const y = layout.y(tick);
            if (y - last < 24) continue;
            last = y;
            painter.line([[axis - 4, y], [right, y]], { stroke: colour.faint });
            painter.text(timeTickLabel(tick, end - start), axis - 8, y, { fill: colour.muted, size: 11, align: 'end' });
        }
    }
}

function drawLanes(painter, layout, colour, names) {
    const { left, height, lane, connections, isNarrow } = layout;
    const vertical = x => painter.line([[x, top - 6], [x, height - bottom]], { stroke: colour.edge, width: 1.5 });
    vertical(left);
    painter.text('Central', left, 12, { fill: colour.text, weight: 600, align: 'middle' });
    const lanes = connections.length > 0 ? connections : [undefined];
    const room = (layout.right - left) / lanes.length;
    for (const connection of lanes) {
        const x = lane(connection);
        vertical(x);
        const name = short(names.get(connection) ?? (connection === undefined ? 'Peripheral' : `Connection ${connection}`), Math.max(6, Math.floor(room / 8)));
        painter.text(`\u2068${name}\u2069`, isNarrow || lanes.length === 1 ? Math.min(x, layout.width - 6) : x, 12,
            { fill: colour.text, weight: 600, align: lanes.length === 1 ? 'end' : 'middle' });
    }
}

function drawSpans(painter, layout, spans, colour) {
    const hues = { connection: colour.edge, interval: colour.response, mtu: colour.request, encryption: colour.notification };
    const { axis, isNarrow, height } = layout;
    const pitch = isNarrow ? 7 : 34;
    const ends = new Map();
    for (const span of spans) {
        const column = spanKinds.indexOf(span.kind);
        const start = Math.max(top, layout.y(span.from));
        const end = Math.min(height - bottom, layout.y(span.to));
        if (end < top || start > height - bottom) continue;
        const x = axis + 6 + Math.max(0, column) * pitch;
        painter.rectangle(x, start, 4, Math.max(2, end - start), { fill: hues[span.kind] ?? colour.edge, opacity: 0.75 });
        const key = span.kind;
        // The head of the lane names the connection.
        if (isNarrow || span.kind === 'connection' || start - (ends.get(key) ?? -Infinity) < 12) continue;
        ends.set(key, start);
        painter.text(short(span.text.replace(/^(MTU|interval) /i, ''), 10), x + 7, start + 6, { fill: colour.muted, size: 10 });
    }
}

function drawDensity(painter, layout, density, colour) {
    const most = Math.max(...density.map(part => part.count));
    const centre = (layout.left + layout.right) / 2;
    const room = (layout.right - layout.left) * 0.9;
    for (const part of density) {
        if (part.count === 0) continue;
        const start = layout.y(part.from);
        const end = layout.y(part.to);
        const size = Math.max(2, (room * Math.log1p(part.count)) / Math.log1p(most));
        painter.rectangle(centre - size / 2, start, size, Math.max(1, end - start - 1), { fill: colour.request, opacity: 0.55 });
    }
    painter.text(`up to ${count(most)} PDUs in a row; zoom in to see them`, centre, layout.height - 14, { fill: colour.muted, size: 11, align: 'middle' });
}

function drawArrows(painter, layout, arrows, colour, selected) {
    const selectedArrow = arrows.find(arrow => arrow.number === selected);
    const selectedY = selectedArrow ? layout.y(selectedArrow.time) : -Infinity;
    let labelled = -Infinity;
    const places = new Map(arrows.map(arrow => [arrow.number, arrow]));
    for (const arrow of arrows) {
        const y = layout.y(arrow.time);
        if (y < top - 1 || y > layout.height - bottom + 1) continue;
        const x = layout.lane(arrow.connection);
        const isSent = arrow.direction !== 'received';
        const hue = hueOf(arrow, colour);
        const [start, end] = isSent ? [layout.left, x] : [x, layout.left];
        const isSelected = arrow === selectedArrow;
        if (isSelected) painter.rectangle(layout.left, y - 8, Math.abs(x - layout.left), 16, { fill: colour.selected });
        painter.line([[start, y], [end, y]], { stroke: hue, width: isSelected ? 2 : 1.25, dash: arrow.direction === 'unknown' ? [3, 3] : [] });
        const tip = end > start ? -6 : 6;
        painter.polygon([[end, y], [end + tip, y - 3.5], [end + tip, y + 3.5]], { fill: hue });
        drawSign(painter, arrow, x, y, colour, layout);
        drawLatency(painter, layout, arrow, places, colour);
        // The selected arrow always has its label, so its neighbours leave room for it.
        if (isSelected || (y - labelled >= labelPitch && Math.abs(y - selectedY) >= labelPitch)) {
            const room = Math.abs(x - layout.left) - 20;
            drawLabel(painter, arrow, layout.left + 10, y - 7, room, hue, colour);
            labelled = y;
        }
    }
}

function hueOf(arrow, colour) {
    if (arrow.verdict === 'fail' || arrow.severity === 'error') return colour.fail;
    if (arrow.error || arrow.verdict === 'warning' || arrow.severity === 'warning') return colour.warning;
    if (/^Handle Value (Notification|Indication)|^Multiple Handle/.test(arrow.info)) return colour.notification;
    return arrow.direction === 'sent' ? colour.request : colour.response;
}

function drawSign(painter, arrow, x, y, colour, layout) {
    const sign = arrow.verdict === 'fail' ? '✕' : arrow.severity === 'error' ? '!' : arrow.verdict === 'warning' || arrow.severity === 'warning' ? '△' : '';
    if (!sign) return;
    const hue = arrow.verdict === 'fail' || arrow.severity === 'error' ? colour.fail : colour.warning;
    const rules = layout.isNarrow ? '' : ` ${(arrow.rules ?? []).slice(0, 1).join()}`;
    painter.text(sign + rules, x + 6, y, { fill: hue, weight: 700, size: 11 });
}

function drawLatency(painter, layout, arrow, places, colour) {
    const request = places.get(arrow.request);
    if (!request || layout.isNarrow || layout.connections.length > 1) return;
    const from = layout.y(request.time);
    const to = layout.y(arrow.time);
    const x = layout.right + 3;
    if (to - from < 4 || to < top) return;
    painter.line([[x, from], [x + 4, from], [x + 4, to], [x, to]], { stroke: colour.edge });
    if (to - from > 13 && !arrow.rules?.length && !request.rules?.length) {
        painter.text(duration(arrow.latency ?? arrow.time - request.time), x + 8, (from + to) / 2, { fill: colour.muted, size: 10 });
    }
}

function drawLabel(painter, arrow, x, y, room, hue, colour) {
    let text = `\u2068${short(arrow.info, 120)}\u2069`;
    const style = { size: 11 };
    const width = painter.measure(text, style);
    if (width > room) text = `\u2068${arrow.info.slice(0, Math.max(3, Math.floor((Math.min(arrow.info.length, 120) * room) / width) - 2))}…\u2069`;
    painter.rectangle(x - 3, y - 6, Math.min(width, room) + 6, 12, { fill: colour.ground, opacity: 0.85 });
    painter.text(text, x, y, { fill: hue, ...style });
}

function drawBreaks(painter, layout, colour) {
    for (const gap of layout.map.breaks) {
        const [start, end] = [top + gap.start, top + gap.end];
        painter.rectangle(layout.axis - 4, start + 4, layout.width, end - start - 8, { fill: colour.ground });
        for (const y of [start + 4, end - 4]) {
            const points = [];
            for (let x = layout.axis; x <= layout.width - 4; x += 8) points.push([x, y + ((x - layout.axis) % 16 === 0 ? 2 : -2)]);
            painter.line(points, { stroke: colour.line });
        }
        painter.text(`${duration(gap.to - gap.from)} without a packet`, (layout.left + layout.right) / 2, (start + end) / 2,
            { fill: colour.muted, size: 11, align: 'middle' });
    }
}
