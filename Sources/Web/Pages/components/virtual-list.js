// A list of any number of rows, of which only the visible ones exist.
//
// Browsers limit the height of an element (Chromium to 33,554,428 px), which 10,000,000 rows exceed. Above `maximum` the
// height is scaled: dragging the scroll bar moves through all rows in proportion, while wheel, touch and keys move by
// pixels, and the bar is set to the matching place afterwards. The rows lie in a layer that stays in the viewport, so no
// coordinate becomes large.

import { element, perFrame } from '../core/dom.js';

const maximum = 8_000_000;

export class VirtualList {
    #rowHeight;
    #render;
    #count = 0;
    /** The position of the upper edge, in rows; a fraction is a part of a row. */
    #top = 0;
    /** The scroll position set by the list itself, to distinguish it from the user's. */
    #expected = 0;
    #settle = 0;
    /** A row that is shown as soon as the list has a height. */
    #awaited;
    #sticks = false;
    #rows = new Map();

    /**
     * `render(node, index)` fills the node of a row, and `onRange(first, count)` receives the visible rows.
     * `prepare()` creates the empty node of a row.
     */
    constructor({ rowHeight, label, render, prepare = () => element('div.row'), onRange = () => {} }) {
        this.#rowHeight = rowHeight;
        this.#render = render;
        this.prepare = prepare;
        this.onRange = onRange;
        this.layer = element('div.virtual-rows', { role: 'presentation' });
        this.spacer = element('div.virtual-space', { role: 'presentation' }, this.layer);
        this.root = element('div.virtual-list', { tabindex: '0', 'aria-label': label, role: 'presentation' }, this.spacer);
        this.root.addEventListener('scroll', () => this.#scrolled());
        this.root.addEventListener('wheel', event => this.#wheeled(event), { passive: false });
        this.draw = perFrame(() => this.#draw());
        this.observer = new ResizeObserver(() => this.#resized());
        this.observer.observe(this.root);
    }

    close() {
        this.observer.disconnect();
        clearTimeout(this.#settle);
    }

    get count() {
        return this.#count;
    }

    /** The first row that is wholly or partly visible. */
    get first() {
        return Math.floor(this.#top);
    }

    /** Number of rows that fit. */
    get page() {
        return Math.max(1, Math.floor(this.root.clientHeight / this.#rowHeight));
    }

    /** Keeps the last row visible as rows are added, until the user scrolls away from it. */
    stickToEnd() {
        this.#sticks = true;
        this.moveTo(this.#count);
    }

    /** Changes the number of rows and keeps the position. */
    setCount(count) {
        if (count === this.#count) return;
        this.#count = count;
        this.#resized();
    }

    /** Redraws all visible rows. */
    refresh() {
        for (const node of this.#rows.values()) node.remove();
        this.#rows.clear();
        this.draw();
    }

    /** Draws rows whose content has arrived. */
    update(first, count) {
        for (const [index, node] of this.#rows) {
            if (index >= first && index < first + count) this.#render(node, index);
        }
    }

    /** Moves so that a row is visible: at the edge that it lies behind, or in the middle if it is far away. */
    reveal(index, { centre = false } = {}) {
        const full = this.root.clientHeight / this.#rowHeight;
        // Before it is laid out, a list has no height.
        this.#awaited = full === 0 ? index : undefined;
        if (full === 0) return;
        this.#sticks &&= index >= this.#count - 1;
        const far = index < this.#top - full || index > this.#top + 2 * full;
        if (centre || far) this.moveTo(index - Math.floor(full / 2));
        else if (index < this.#top) this.moveTo(index);
        else if (index + 1 > this.#top + full) this.moveTo(index + 1 - full);
    }

    /** Puts a row at the upper edge. */
    moveTo(top) {
        this.#top = Math.min(Math.max(top, 0), this.#lastTop);
        this.#moveBar();
        this.draw();
    }

    /** The node of a row, if it exists. */
    node(index) {
        return this.#rows.get(index);
    }

    get #lastTop() {
        return Math.max(0, this.#count - this.root.clientHeight / this.#rowHeight);
    }

    get #height() {
        return Math.min(this.#count * this.#rowHeight, maximum);
    }

    get #isScaled() {
        return this.#count * this.#rowHeight > maximum;
    }

    get #range() {
        return Math.max(1, this.#height - this.root.clientHeight);
    }

    #resized() {
        this.spacer.style.height = `${this.#height}px`;
        this.layer.style.height = `${this.root.clientHeight}px`;
        // The head of the columns leaves out the width of the scroll bar.
        this.root.parentElement?.style.setProperty('--gutter', `${this.root.offsetWidth - this.root.clientWidth}px`);
        this.moveTo(this.#sticks ? this.#count : this.#top);
        if (this.#awaited !== undefined) this.reveal(this.#awaited);
    }

    #moveBar() {
        const place = this.#isScaled
            ? this.#range * (this.#top / Math.max(1, this.#lastTop))
            : this.#top * this.#rowHeight;
        this.root.scrollTop = place;
        this.#expected = this.root.scrollTop;
    }

    #scrolled() {
        const place = this.root.scrollTop;
        const moved = place - this.#expected;
        if (moved === 0) return;
        this.#expected = place;
        this.#sticks &&= moved > 0 || place >= this.#range - this.#rowHeight;
        if (!this.#isScaled) {
            this.#top = place / this.#rowHeight;
        } else if (place <= 0) {
            this.#top = 0;
        } else if (place >= this.#range - 0.5) {
            this.#top = this.#lastTop;
        } else if (Math.abs(moved) < this.root.clientHeight) {
            // A finger or a key: by pixels. The bar follows when the movement ends.
            this.#top = Math.min(Math.max(this.#top + moved / this.#rowHeight, 0), this.#lastTop);
            clearTimeout(this.#settle);
            this.#settle = setTimeout(() => this.#moveBar(), 150);
        } else {
            this.#top = (place / this.#range) * this.#lastTop;
        }
        this.draw();
    }

    #wheeled(event) {
        if (!this.#isScaled || event.ctrlKey || event.deltaY === 0) return;
        const unit = [1, this.#rowHeight, this.root.clientHeight][event.deltaMode] ?? 1;
        this.#sticks &&= event.deltaY > 0;
        this.moveTo(this.#top + (event.deltaY * unit) / this.#rowHeight);
        event.preventDefault();
    }

    #draw() {
        const first = this.first;
        const visible = Math.ceil(this.root.clientHeight / this.#rowHeight) + 1;
        const end = Math.min(this.#count, first + visible);
        const spare = [];
        for (const [index, node] of this.#rows) {
            if (index >= first && index < end) continue;
            this.#rows.delete(index);
            spare.push(node);
        }
        for (let index = first; index < end; index += 1) {
            let node = this.#rows.get(index);
            if (!node) {
                node = spare.pop() ?? this.prepare();
                if (!node.isConnected) this.layer.append(node);
                this.#rows.set(index, node);
                this.#render(node, index);
            }
            node.style.transform = `translateY(${(index - this.#top) * this.#rowHeight}px)`;
        }
        for (const node of spare) node.remove();
        this.onRange(first, Math.max(0, end - first));
    }
}
