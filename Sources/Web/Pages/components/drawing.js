// A canvas that is redrawn when its size or the colours change, with wheel, drag and two fingers for moving in time.

import { element, perFrame } from '../core/dom.js';
import { CanvasPainter } from '../core/painter.js';

/** Help text for moving in time with the available pointer. */
export const movingHint = matchMedia('(hover: none)').matches ? 'Two fingers zoom.' : 'Ctrl and wheel zoom, drag moves.';

export class Drawing {
    #pointers = new Map();
    #moved = false;

    /**
     * `draw(painter, width, height)` draws. Optional: `zoom(factor, x, y)`, `pan(dx, dy)` in pixels, `click(x, y)`,
     * `hover(x, y)` or `hover()` when the pointer leaves. `label` is for assistive technology.
     */
    constructor({ label, draw, zoom, pan, click, hover }) {
        Object.assign(this, { paint: draw, zoom, pan, click, hover });
        this.canvas = element('canvas', { 'aria-hidden': 'true' });
        this.root = element('div.drawing', { tabindex: '0', role: 'application', 'aria-label': label }, this.canvas);
        this.draw = perFrame(() => this.#draw());
        this.observer = new ResizeObserver(() => this.draw());
        this.observer.observe(this.root);
        this.onTheme = () => this.draw();
        addEventListener('themechange', this.onTheme);
        this.root.addEventListener('wheel', event => this.#wheeled(event), { passive: false });
        for (const name of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel']) {
            this.root.addEventListener(name, event => this.#pointed(name, event));
        }
        this.root.addEventListener('pointerleave', () => this.hover?.());
    }

    close() {
        this.observer.disconnect();
        removeEventListener('themechange', this.onTheme);
    }

    get width() {
        return this.root.clientWidth;
    }

    get height() {
        return this.root.clientHeight;
    }

    #draw() {
        if (this.width < 20 || this.height < 20) return;
        this.paint(new CanvasPainter(this.canvas, this.width, this.height), this.width, this.height);
    }

    #place(event) {
        const bounds = this.root.getBoundingClientRect();
        return [event.clientX - bounds.left, event.clientY - bounds.top];
    }

    #wheeled(event) {
        const unit = event.deltaMode === 0 ? 1 : 20;
        const [x, y] = this.#place(event);
        if (event.ctrlKey || event.metaKey) this.zoom?.(Math.exp((event.deltaY * unit) / 250), x, y);
        else this.pan?.(event.deltaX * unit, event.deltaY * unit);
        event.preventDefault();
    }

    #pointed(name, event) {
        const place = this.#place(event);
        if (name === 'pointerdown') {
            if (event.button !== 0) return;
            this.#pointers.set(event.pointerId, place);
            this.#moved = false;
            this.root.setPointerCapture(event.pointerId);
        } else if (name === 'pointermove') {
            const before = this.#pointers.get(event.pointerId);
            if (!before) return this.hover?.(...place);
            if (!this.#moved && Math.hypot(place[0] - before[0], place[1] - before[1]) < 4) return;
            this.#moved = true;
            const others = [...this.#pointers].filter(([id]) => id !== event.pointerId);
            if (others.length > 0) {
                const other = others[0][1];
                const size = point => Math.max(20, Math.hypot(point[0] - other[0], point[1] - other[1]));
                this.zoom?.(size(before) / size(place), (place[0] + other[0]) / 2, (place[1] + other[1]) / 2);
            } else {
                this.pan?.(before[0] - place[0], before[1] - place[1]);
            }
            this.#pointers.set(event.pointerId, place);
        } else {
            const wasDown = this.#pointers.delete(event.pointerId);
            if (wasDown && name === 'pointerup' && !this.#moved && this.#pointers.size === 0) this.click?.(...place);
        }
    }
}
