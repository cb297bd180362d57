// The fields of a packet as a tree.

import { element, replace } from '../core/dom.js';
import { short } from '../core/format.js';

/** The drag-and-drop type of a field; the data is its name. */
export const fieldType = 'application/x-gattbench-field';

/** Layers that are closed at first: the outer layers of a packet. */
const outer = ['frame', 'bluetooth', 'hci_h4', 'bthci_acl', 'btl2cap', 'nordic_ble', 'btle_rf', 'btle'];

export class FieldTree {
    #items = [];
    #selected;
    #closed = new Set(outer);

    /** Callbacks: `onSelect(node)`, `onHover(node or undefined)`, `onMenu(node, x, y)`. */
    constructor({ onSelect = () => {}, onHover = () => {}, onMenu = () => {} }) {
        Object.assign(this, { onSelect, onHover, onMenu });
        this.root = element('div.tree', { role: 'tree', 'aria-label': 'Fields', tabindex: '0' });
        this.root.addEventListener('pointerover', event => this.onHover(this.#itemAt(event.target)?.node));
        this.root.addEventListener('pointerleave', () => this.onHover(undefined));
        this.root.addEventListener('click', event => this.#clicked(event));
        this.root.addEventListener('contextmenu', event => {
            const item = this.#itemAt(event.target);
            if (!item) return;
            event.preventDefault();
            this.#choose(item);
            this.onMenu(item.node, event.clientX, event.clientY);
        });
        this.root.addEventListener('dragstart', event => {
            const node = this.#itemAt(event.target)?.node;
            if (!node?.name) return event.preventDefault();
            event.dataTransfer.setData(fieldType, node.name);
            event.dataTransfer.setData('text/plain', node.filter ?? node.name);
            event.dataTransfer.effectAllowed = 'copy';
        });
        this.root.addEventListener('keydown', event => this.#pressed(event));
    }

    /** Shows fields and keeps the selected name and the closed branches. */
    show(nodes) {
        const name = this.#selected?.node.name;
        this.#items = [];
        this.#selected = undefined;
        replace(this.root, nodes.map(node => this.#branch(node, 1, undefined)));
        const again = name && this.#items.find(item => item.node.name === name);
        if (again) this.#choose(again, { reveal: false });
    }

    get selected() {
        return this.#selected?.node;
    }

    /** Selects the innermost field that holds a byte of a buffer. */
    selectByte(offset, buffer) {
        const item = this.#innermost(offset, buffer);
        if (item) this.#choose(item);
    }

    /** The innermost field that holds a byte of a buffer. */
    nodeAt(offset, buffer) {
        return this.#innermost(offset, buffer)?.node;
    }

    #innermost(offset, buffer) {
        const holding = this.#items.filter(({ node }) => !node.generated && node.buffer === buffer
            && offset >= node.offset && offset < node.offset + node.length);
        // Smaller fields and deeper ones are nearer to the byte.
        return holding.reduce((best, item) =>
            (!best || item.node.length < best.node.length
                || (item.node.length === best.node.length && item.level > best.level && !item.node.mask) ? item : best), undefined);
    }

    #branch(node, level, parent) {
        const item = { node, level, parent, children: [] };
        this.#items.push(item);
        const hasChildren = (node.children ?? []).length > 0;
        item.open = hasChildren && !this.#closed.has(node.name || node.label);
        const text = node.generated ? `[${labelled(node)}]` : labelled(node);
        item.line = element('div.tree-line', { draggable: node.name ? 'true' : null, title: node.name || null },
            element('span.tree-mark', { 'aria-hidden': 'true' }, hasChildren ? '▸' : ''),
            node.mask ? element('span.tree-mask', { 'aria-label': `mask ${node.mask}` }, maskPicture(node.mask)) : null,
            element('span.foreign', {}, short(text, 2000)));
        item.line.style.paddingInlineStart = `${(level - 1) * 14 + 4}px`;
        item.group = hasChildren ? element('div', { role: 'group', hidden: !item.open }) : undefined;
        item.root = element('div', {
            role: 'treeitem', 'aria-level': level, 'aria-selected': 'false', tabindex: '-1',
            'aria-expanded': hasChildren ? String(item.open) : null,
        }, item.line, item.group);
        if (level === 1) item.root.classList.add('layer');
        item.line.item = item;
        for (const child of node.children ?? []) {
            const branch = this.#branch(child, level + 1, item);
            item.group.append(branch);
        }
        return item.root;
    }

    #itemAt(target) {
        return target instanceof Element ? target.closest('.tree-line')?.item : undefined;
    }

    #clicked(event) {
        const item = this.#itemAt(event.target);
        if (!item) return;
        const onMark = event.target.classList.contains('tree-mark');
        if (onMark || (item === this.#selected && item.level === 1)) this.#toggle(item);
        this.#choose(item);
    }

    #toggle(item, open = !item.open) {
        if (!item.group) return;
        item.open = open;
        item.group.hidden = !open;
        item.root.setAttribute('aria-expanded', String(open));
        const key = item.node.name || item.node.label;
        if (open) this.#closed.delete(key);
        else this.#closed.add(key);
    }

    #choose(item, { reveal = true } = {}) {
        this.#selected?.root.setAttribute('aria-selected', 'false');
        this.#selected = item;
        for (let parent = item.parent; parent; parent = parent.parent) this.#toggle(parent, true);
        item.root.setAttribute('aria-selected', 'true');
        if (reveal) item.line.scrollIntoView({ block: 'nearest' });
        item.root.id = 'tree-selected';
        this.root.setAttribute('aria-activedescendant', 'tree-selected');
        for (const other of this.#items) if (other !== item && other.root.id) other.root.removeAttribute('id');
        this.onSelect(item.node);
    }

    #pressed(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const visible = this.#items.filter(item => {
            for (let parent = item.parent; parent; parent = parent.parent) if (!parent.open) return false;
            return true;
        });
        const place = visible.indexOf(this.#selected);
        const item = this.#selected;
        const keys = {
            ArrowDown: () => visible[place + 1],
            ArrowUp: () => visible[Math.max(place - 1, 0)],
            Home: () => visible[0],
            End: () => visible.at(-1),
            ArrowRight: () => (item?.group && !item.open ? (this.#toggle(item, true), item) : visible[place + 1]),
            ArrowLeft: () => (item?.group && item.open ? (this.#toggle(item, false), item) : item?.parent),
        };
        if (keys[event.key]) {
            const next = keys[event.key]();
            if (next) this.#choose(next);
            event.preventDefault();
        } else if (event.key === 'Enter' || event.key === ' ') {
            if (item) this.#toggle(item);
            event.preventDefault();
        } else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
            if (!item) return;
            const place = item.line.getBoundingClientRect();
            this.onMenu(item.node, place.left + 24, place.bottom);
            event.preventDefault();
        }
    }
}

function labelled(node) {
    return node.text === '' || node.text === undefined ? node.label : `${node.label}: ${node.text}`;
}

/** The bits of a mask as Wireshark draws them: `.... .1..` of `04`. */
export function maskPicture(mask) {
    const bits = [...mask].map(digit => parseInt(digit, 16).toString(2).padStart(4, '0').replaceAll('0', '·').replaceAll('1', '▪'));
    return bits.join(' ');
}
