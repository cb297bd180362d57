// A time axis on which long times without a packet are breaks of a fixed size.

/** Room for the words in a break, and below them for the label of the arrow that ends it. */
const breakSize = 40;
const breakLimit = 12;
/** A gap becomes a break if it would take this many pixels. */
const worthwhile = 90;

/**
 * Maps the times `from`…`to` to 0…`size` pixels. `gaps` are `{from, to}` in order. The result has `pixel(time)`,
 * `time(pixel)` and `breaks`: `{from, to, start, end}` with their pixels.
 */
export function timeMap(from, to, size, gaps) {
    const chosen = chooseBreaks(from, to, size, gaps);
    const active = (to - from) - chosen.reduce((sum, gap) => sum + gap.to - gap.from, 0);
    const scale = (size - chosen.length * breakSize) / (active || 1);
    // Corners of a piecewise linear function: [time, pixel].
    const corners = [[from, 0]];
    const breaks = [];
    for (const gap of chosen) {
        const [time, pixel] = corners.at(-1);
        const start = pixel + (gap.from - time) * scale;
        corners.push([gap.from, start], [gap.to, start + breakSize]);
        breaks.push({ ...gap, start, end: start + breakSize });
    }
    corners.push([to, size]);
    return {
        from, to, size, breaks, scale,
        pixel: time => along(corners, time, 0, 1, size / (to - from || 1)),
        time: pixel => along(corners, pixel, 1, 0, (to - from) / size),
    };
}

function chooseBreaks(from, to, size, gaps) {
    const margin = (to - from) * 1e-3;
    let span = to - from;
    const chosen = [];
    const inside = gaps
        .map(gap => ({ from: Math.max(gap.from, from), to: Math.min(gap.to, to) }))
        .filter(gap => gap.to - gap.from > margin)
        .sort((a, b) => (b.to - b.from) - (a.to - a.from));
    for (const gap of inside) {
        const room = size - (chosen.length + 1) * breakSize;
        if (chosen.length === breakLimit || room < size / 3) break;
        if ((gap.to - gap.from) * (room / span) < worthwhile) break;
        chosen.push(gap);
        span -= gap.to - gap.from;
    }
    return chosen.sort((a, b) => a.from - b.from);
}

function along(corners, value, input, output, outside) {
    const [first, last] = [corners[0], corners.at(-1)];
    if (value <= first[input]) return first[output] + (value - first[input]) * outside;
    if (value >= last[input]) return last[output] + (value - last[input]) * outside;
    let low = 0;
    let high = corners.length - 1;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (corners[middle][input] <= value) low = middle;
        else high = middle;
    }
    const [a, b] = [corners[low], corners[high]];
    const part = (value - a[input]) / (b[input] - a[input] || 1);
    return a[output] + part * (b[output] - a[output]);
}
