// Numbers, times and bytes as text.

const grouped = new Intl.NumberFormat('en', { useGrouping: true, maximumFractionDigits: 3 });

/** 1234567 as `1,234,567`. */
export function count(number) {
    return grouped.format(number);
}

/** A count with its noun: `1 packet`, `2 packets`. */
export function countOf(number, noun) {
    return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** A number without superfluous zeros: whole numbers in full, others with at most `digits` significant digits. */
export function number(value, digits = 6) {
    if (!Number.isFinite(value)) return '–';
    return String(Number.isInteger(value) ? value : Number(value.toPrecision(digits)));
}

/** A duration in the largest fitting unit: `7.5 ms`, `2 h 5 min`. */
export function duration(seconds, digits = 3) {
    const size = Math.abs(seconds);
    if (size === 0) return '0 s';
    if (size < 1e-3) return `${number(seconds * 1e6, digits)} µs`;
    if (size < 1) return `${number(seconds * 1e3, digits)} ms`;
    if (size < 120) return `${number(seconds, digits)} s`;
    const minutes = Math.floor(size / 60) % 60;
    const sign = seconds < 0 ? '−' : '';
    if (size < 3600) return `${sign}${minutes} min ${Math.floor(size % 60)} s`;
    const hours = Math.floor(size / 3600);
    if (hours < 48) return `${sign}${hours} h ${minutes} min`;
    return `${sign}${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Seconds since the first frame, with microseconds. */
export function seconds(value) {
    return value.toFixed(6);
}

/** A point in time, seconds since 1970, as UTC with milliseconds. */
export function clock(epoch, { date = true } = {}) {
    const moment = new Date(epoch * 1000);
    if (Number.isNaN(moment.getTime())) return '–';
    const text = moment.toISOString().replace('T', ' ').replace('Z', '');
    return date ? text : text.slice(11);
}

/** A size in bytes: `1.6 kB`. */
export function bytes(size) {
    for (const [unit, factor] of [['GB', 1e9], ['MB', 1e6], ['kB', 1e3]]) {
        if (size >= factor) return `${number(size / factor, 3)} ${unit}`;
    }
    return `${size} B`;
}

/** A byte as two hexadecimal digits. */
export function hexByte(byte) {
    return byte.toString(16).padStart(2, '0');
}

/** A number as `0x…` with at least `digits` digits. */
export function hex(value, digits = 4) {
    return '0x' + value.toString(16).padStart(digits, '0');
}

/** Bytes of a string of hexadecimal digits. */
export function bytesOfHex(text) {
    const result = new Uint8Array(text.length >> 1);
    for (let index = 0; index < result.length; index += 1) {
        result[index] = parseInt(text.slice(2 * index, 2 * index + 2), 16);
    }
    return result;
}

/**
 * A text for one line: cut at a length, because a device may send 100 kB, and with pictures of control characters, so that
 * it cannot pretend to be several lines.
 */
export function short(text, length = 400) {
    const part = text.length > length ? text.slice(0, length) + '…' : text;
    return part.replace(/[\u0000-\u001f]/g, character => String.fromCharCode(0x2400 + character.charCodeAt(0)));
}

/** A value for a cell of a CSV file. */
export function csvCell(value) {
    const text = value === null || value === undefined ? '' : String(value);
    // A leading sign would be read as a formula by spreadsheets, unless it begins a number.
    const safe = /^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The path of a file, as given by the user. */
export function filePath(file) {
    return [file.folder, file.name].filter(Boolean).join('/');
}

/** Display name of each file, by id: its name, extended by as much of the folder as distinguishes files with the same name. */
export function fileLabels(files) {
    const labels = new Map();
    for (const group of Map.groupBy(files, file => file.name).values()) {
        const paths = group.map(file => [...(file.folder ?? '').split('/').filter(Boolean), file.name.split('/').slice(-2).join('/')]);
        const ending = (path, length) => path.slice(-length).join('/');
        const longest = Math.max(...paths.map(path => path.length));
        group.forEach((file, place) => {
            const isAlone = length => paths.every((path, other) => other === place || ending(path, length) !== ending(paths[place], length));
            let length = 1;
            while (length < longest && !isAlone(length)) length += 1;
            const before = paths.slice(0, place).filter(path => ending(path, length) === ending(paths[place], length)).length;
            labels.set(file.id, ending(paths[place], length) + (before > 0 ? ` (${before + 1})` : ''));
        });
    }
    return labels;
}
