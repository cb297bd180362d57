// The forms in which a field or a packet can be copied.

import { announce } from '../core/dom.js';
import { ask } from './dialog.js';

/** Puts a text on the clipboard; shows it for copying where the browser refuses. */
export async function copy(text, what) {
    try {
        await navigator.clipboard.writeText(text);
        announce(`${what} copied`);
    } catch {
        await ask(`Copy ${what}`, [{ name: 'text', label: 'The browser allows no copying; select it here.', value: text, long: true }]);
    }
}

/** The bytes of a field, as hexadecimal digits. */
export function fieldHex(node, buffers) {
    const hex = buffers[node.buffer]?.hex ?? '';
    return hex.slice(2 * node.offset, 2 * (node.offset + node.length));
}

/** Bytes as an array of C. */
export function cArray(hex, name) {
    const list = (hex.match(/../g) ?? []).map(byte => `0x${byte}`);
    const lines = [];
    for (let start = 0; start < list.length; start += 12) lines.push(`    ${list.slice(start, start + 12).join(', ')},`);
    return `static const uint8_t ${identifier(name)}[${list.length}] = {\n${lines.join('\n')}\n};\n`;
}

/** The command that prints a field of the whole file. */
export function fieldCommand(name, file) {
    return `gattbench decode -T fields -e frame.number -e ${name} -Y ${name} ${quoted(file)}`;
}

/** Menu items that copy a field. */
export function copyItems(node, packet, file) {
    const hex = node.generated ? '' : fieldHex(node, packet.buffers);
    const secret = hex.includes('*');
    const items = [
        node.text ? ['value', node.text] : undefined,
        node.filter ? ['filter', node.filter] : undefined,
        node.name ? ['field name', node.name] : undefined,
        node.name ? ['field command', fieldCommand(node.name, file)] : undefined,
        ['JSON', JSON.stringify(plain(node), null, 2)],
        hex && !secret ? ['hex', hex] : undefined,
        hex && !secret ? ['C array', cArray(hex, node.name || node.label)] : undefined,
    ];
    return items.filter(Boolean).map(([what, text]) => ({ text: `Copy as ${what}`, action: () => copy(text, what) }));
}

function plain({ name, label, text, value, children }) {
    return {
        ...(name ? { name } : {}), label, ...(text ? { text } : {}), ...(value === undefined ? {} : { value }),
        ...(children?.length > 0 ? { fields: children.map(plain) } : {}),
    };
}

function identifier(name) {
    return name.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^(?=\d)/, '_') || 'bytes';
}

function quoted(text) {
    return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
