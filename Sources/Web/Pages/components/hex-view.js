// The bytes of a frame, as hexadecimal digits and as text. Pointing at a byte names its field, and a field lights its bytes.

import { element, replace } from '../core/dom.js';
import { hexByte } from '../core/format.js';

const perLine = 16;
const lineLimit = 512;

export class HexView {
    #bytes = new Uint8Array(0);
    #hex;
    #cells = [];
    #lit = [];
    #masked = [];
    #cursor = 0;

    /** `onHover(offset)` gets `undefined` when the pointer leaves; `onSelect(offset)` follows a click or Enter. */
    constructor({ onHover = () => {}, onSelect = () => {} } = {}) {
        this.root = element('div.hex', {
            tabindex: '0', role: 'application', 'aria-label': 'Bytes. Arrow keys move, Enter selects the field of a byte.',
        });
        this.root.addEventListener('pointerover', event => onHover(offsetOf(event.target)));
        this.root.addEventListener('pointerleave', () => onHover(undefined));
        this.root.addEventListener('click', event => {
            const offset = offsetOf(event.target);
            if (offset === undefined) return;
            this.#moveCursor(offset);
            onSelect(offset);
        });
        this.root.addEventListener('keydown', event => {
            const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -perLine, ArrowDown: perLine }[event.key];
            if (event.ctrlKey || event.metaKey) return;
            if (step) this.#moveCursor(this.#cursor + step);
            else if (event.key === 'Enter') onSelect(this.#cursor);
            else return;
            if (step) onHover(this.#cursor);
            event.preventDefault();
        });
    }

    /** Shows bytes, of which only the first 8 KiB get cells. Bytes of keys are `**` in their digits `hex`. */
    show(bytes, hex = undefined) {
        this.#bytes = bytes;
        this.#hex = hex;
        this.#cells = [];
        this.#lit = [];
        this.#cursor = 0;
        const lines = [];
        for (let start = 0; start < bytes.length && lines.length < lineLimit; start += perLine) lines.push(this.#line(start));
        if (bytes.length > lineLimit * perLine) {
            lines.push(element('div.hex-note', {}, `${bytes.length - lineLimit * perLine} more bytes: copy them from the menu`));
        }
        replace(this.root, lines);
    }

    /**
     * Lights ranges of bytes: objects with `start`, `end`, `kind` (`selected` or `hovered`) and, of a bit field, `mask`, whose
     * bits are marked below each byte.
     */
    light(ranges) {
        for (const cell of this.#lit) cell.classList.remove('selected', 'hovered', 'first', 'last');
        for (const cell of this.#masked) cell.style.removeProperty('background-image');
        this.#lit = [];
        this.#masked = [];
        for (const range of ranges) {
            for (let offset = range.start; offset < Math.min(range.end, this.#cells.length); offset += 1) {
                for (const cell of this.#cells[offset]) {
                    cell.classList.add(range.kind);
                    cell.classList.toggle('first', offset === range.start);
                    cell.classList.toggle('last', offset === range.end - 1);
                    this.#lit.push(cell);
                }
                const bits = parseInt(range.mask?.slice(2 * (offset - range.start), 2 * (offset - range.start) + 2), 16);
                if (Number.isFinite(bits)) this.#markBits(this.#cells[offset][0], bits);
            }
        }
        const chosen = ranges.find(range => range.kind === 'selected') ?? ranges[0];
        this.#cells[chosen?.start]?.[0].scrollIntoView({ block: 'nearest' });
    }

    /** Underlines the bits of a byte, the most significant one at the left. */
    #markBits(cell, bits) {
        const stops = Array.from({ length: 8 }, (_, place) =>
            `${(bits >> (7 - place)) & 1 ? 'var(--accent)' : 'transparent'} ${place * 12.5}% ${(place + 1) * 12.5}%`);
        cell.style.backgroundImage = `linear-gradient(to right, ${stops.join(', ')})`;
        this.#masked.push(cell);
    }

    #line(start) {
        const digits = element('span.hex-digits');
        const letters = element('span.hex-letters', { 'aria-hidden': 'true' });
        for (let offset = start; offset < Math.min(start + perLine, this.#bytes.length); offset += 1) {
            const byte = this.#bytes[offset];
            const isSecret = this.#hex?.[2 * offset] === '*';
            const digit = element('span', { data: { offset } }, isSecret ? '**' : hexByte(byte));
            const isLetter = byte >= 0x20 && byte < 0x7f && !isSecret;
            const letter = element('span', { data: { offset } }, isLetter ? String.fromCharCode(byte) : '·');
            digits.append(digit);
            letters.append(letter);
            this.#cells.push([digit, letter]);
        }
        return element('div.hex-line', {},
            element('span.hex-offset', { 'aria-hidden': 'true' }, start.toString(16).padStart(4, '0')), digits, letters);
    }

    #moveCursor(offset) {
        this.#cells[this.#cursor]?.[0].classList.remove('cursor');
        this.#cursor = Math.min(Math.max(offset, 0), this.#cells.length - 1);
        this.#cells[this.#cursor]?.[0].classList.add('cursor');
        this.#cells[this.#cursor]?.[0].scrollIntoView({ block: 'nearest' });
    }
}

function offsetOf(target) {
    const text = target instanceof HTMLElement ? target.dataset.offset : undefined;
    return text === undefined ? undefined : Number(text);
}
