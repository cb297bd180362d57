// The columns of the packet list: the built-in ones, and fields that the user added.

import { count, seconds, short } from '../core/format.js';

const builtIn = [
    { id: 'number', title: 'No.', width: 74, align: 'end', text: row => count(row.number) },
    { id: 'time', title: 'Time', width: 104, align: 'end', text: row => seconds(row.time) },
    { id: 'source', title: 'Source', width: 130, text: row => row.source },
    { id: 'destination', title: 'Destination', width: 130, text: row => row.destination },
    { id: 'protocol', title: 'Protocol', width: 78, text: row => row.protocol },
    { id: 'length', title: 'Length', width: 58, align: 'end', text: row => String(row.length) },
];

const last = { id: 'info', title: 'Info', width: 0, text: row => row.info };

/** On a narrow page an arrow stands for both ends. */
const narrow = [
    { id: 'number', title: 'No.', width: 52, align: 'end', text: row => count(row.number) },
    { id: 'time', title: 'Time', width: 78, align: 'end', text: row => row.time.toFixed(3) },
    { id: 'direction', title: '', width: 20, text: row => ({ sent: '→', received: '←' })[row.direction] ?? '·' },
];

/** The columns for these fields. `wide` is false on a phone. */
export function columnsFor(fields, wide) {
    const added = fields.map((field, index) => ({
        id: field, field, title: field, width: wide ? 140 : 96, text: row => short(row.columns?.[index] ?? '', 300),
    }));
    return [...(wide ? builtIn : narrow), ...added, last];
}

/** The value of `grid-template-columns` for columns; the last one takes the remaining width. */
export function template(columns, widths) {
    return columns.map(column => (column.width === 0 ? 'minmax(160px, 1fr)' : `${widths.get(column.id) ?? column.width}px`)).join(' ');
}

/** A class for the protocol of a row. */
export function protocolClass(protocol) {
    const name = protocol.toLowerCase();
    if (name.startsWith('att') || name.startsWith('gatt')) return 'att';
    if (name.startsWith('smp')) return 'smp';
    if (name.startsWith('l2cap')) return 'l2cap';
    if (name.startsWith('le ll') || name.startsWith('btle') || name.startsWith('ll')) return 'll';
    return 'hci';
}

/** The sign of a row in addition to its colour: the packet's worst fault, as a character and in words. */
export function signOf(row) {
    if (row.verdict === 'fail') return { text: '✕', kind: 'fail', words: `breaks ${(row.rules ?? []).join(', ')}` };
    if (row.severity === 'error') return { text: '!', kind: 'fail', words: 'error' };
    if (row.verdict === 'warning') return { text: '△', kind: 'warning', words: `warning of ${(row.rules ?? []).join(', ')}` };
    if (row.severity === 'warning') return { text: '△', kind: 'warning', words: 'warning' };
    if (row.verdict === 'waived') return { text: '○', kind: 'waived', words: `waived: ${(row.rules ?? []).join(', ')}` };
    return undefined;
}
