// Scales and their ticks.

import { number } from './format.js';

/** Maps `[from, to]` to `[start, end]` in pixels. */
export function linearScale(from, to, start, end) {
    const factor = (end - start) / (to - from || 1);
    const scale = value => start + (value - from) * factor;
    scale.invert = pixel => from + (pixel - start) / factor;
    scale.from = from;
    scale.to = to;
    return scale;
}

/** Round values in a range, about `wanted` of them, in steps of 1, 2 or 5. */
export function linearTicks(from, to, wanted) {
    const span = to - from;
    if (!(span > 0) || !Number.isFinite(span)) return [from];
    const rough = span / Math.max(1, wanted);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find(factor => factor * power >= rough);
    const first = Math.ceil(from / step - 1e-9);
    const last = Math.floor(to / step + 1e-9);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}

const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** Round times in a range of seconds: decimal below a second, minutes and hours above. */
export function timeTicks(from, to, wanted) {
    const rough = (to - from) / Math.max(1, wanted);
    if (rough < 1) return linearTicks(from, to, wanted);
    const step = timeSteps.find(candidate => candidate >= rough) ?? Math.ceil(rough / 86400) * 86400;
    const ticks = [];
    for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) ticks.push(tick);
    return ticks;
}

/** Names a tick with as many digits as its distance to the next tick needs. */
export function timeTickLabel(tick, span) {
    if (tick < 2e-3 && span < 2e-3) return `${number(tick * 1e6, 10)} µs`;
    if (tick < 1 && span < 2) return `${number(tick * 1e3, 10)} ms`;
    if (tick < 120 && span < 240) return `${number(tick, 12)} s`;
    const whole = Math.floor(tick);
    const hours = Math.floor(whole / 3600);
    const minutes = String(Math.floor(whole / 60) % 60).padStart(2, '0');
    const remainder = String(whole % 60).padStart(2, '0');
    const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(span)) + 2));
    const fraction = tick > whole ? (tick - whole).toFixed(digits).slice(1) : '';
    return `${hours}:${minutes}:${remainder}${fraction}`;
}

/** Widens a range of values so that a constant is visible and nothing touches the edge. */
export function padded(low, high) {
    if (!(low <= high)) return [0, 1];
    if (low === high) return [low - (Math.abs(low) * 0.1 || 1), high + (Math.abs(high) * 0.1 || 1)];
    const margin = (high - low) * 0.06;
    return [low >= 0 && low - margin < 0 ? 0 : low - margin, high + margin];
}
