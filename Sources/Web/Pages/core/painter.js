// One set of drawing operations for the screen and for SVG files, so that a saved picture matches the screen.

/** Draws on a canvas element, sharp on every screen. */
export class CanvasPainter {
    constructor(canvas, width, height, scale = window.devicePixelRatio || 1) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
        this.context = canvas.getContext('2d');
        this.context.setTransform(scale, 0, 0, scale, 0, 0);
        this.context.clearRect(0, 0, width, height);
    }

    rectangle(x, y, width, height, { fill, stroke, opacity = 1 } = {}) {
        const { context } = this;
        context.globalAlpha = opacity;
        if (fill) {
            context.fillStyle = fill;
            context.fillRect(x, y, width, height);
        }
        if (stroke) {
            context.strokeStyle = stroke;
            context.lineWidth = 1;
            context.strokeRect(x, y, width, height);
        }
        context.globalAlpha = 1;
    }

    /** A line through points `[x, y]`. */
    line(points, { stroke, width = 1, dash = [], opacity = 1 } = {}) {
        const { context } = this;
        context.globalAlpha = opacity;
        context.strokeStyle = stroke;
        context.lineWidth = width;
        context.lineJoin = 'round';
        context.setLineDash(dash);
        context.beginPath();
        trace(context, points);
        context.stroke();
        context.setLineDash([]);
        context.globalAlpha = 1;
    }

    polygon(points, { fill, opacity = 1 } = {}) {
        const { context } = this;
        context.globalAlpha = opacity;
        context.fillStyle = fill;
        context.beginPath();
        trace(context, points);
        context.fill();
        context.globalAlpha = 1;
    }

    circle(x, y, radius, { fill, stroke } = {}) {
        const { context } = this;
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
        if (fill) {
            context.fillStyle = fill;
            context.fill();
        }
        if (stroke) {
            context.strokeStyle = stroke;
            context.lineWidth = 1.5;
            context.stroke();
        }
    }

    /** `align` is `start`, `middle` or `end`; `y` is the middle of the letters. */
    text(text, x, y, { fill, size = 12, align = 'start', weight = 400, family = 'system-ui, sans-serif' } = {}) {
        const { context } = this;
        context.fillStyle = fill;
        context.font = `${weight} ${size}px ${family}`;
        context.textAlign = align === 'middle' ? 'center' : align;
        context.textBaseline = 'middle';
        // Isolates keep a right-to-left name from turning the text around it.
        context.direction = 'ltr';
        context.fillText(text, x, y);
    }

    measure(text, { size = 12, weight = 400, family = 'system-ui, sans-serif' } = {}) {
        this.context.font = `${weight} ${size}px ${family}`;
        return this.context.measureText(text).width;
    }
}

/** Writes the same operations as an SVG file. */
export class SVGPainter {
    #parts = [];
    #measuring = document.createElement('canvas').getContext('2d');

    constructor(width, height, background) {
        this.width = width;
        this.height = height;
        this.rectangle(0, 0, width, height, { fill: background });
    }

    rectangle(x, y, width, height, { fill = 'none', stroke = 'none', opacity = 1 } = {}) {
        this.#add('rect', { x, y, width, height, fill, stroke, opacity });
    }

    line(points, { stroke, width = 1, dash = [], opacity = 1 } = {}) {
        this.#add('polyline', {
            points: pointList(points), fill: 'none', stroke, 'stroke-width': width, opacity, 'stroke-linejoin': 'round',
            'stroke-dasharray': dash.length > 0 ? dash.join(' ') : 'none',
        });
    }

    polygon(points, { fill, opacity = 1 } = {}) {
        this.#add('polygon', { points: pointList(points), fill, opacity });
    }

    circle(x, y, radius, { fill = 'none', stroke = 'none' } = {}) {
        this.#add('circle', { cx: x, cy: y, r: radius, fill, stroke, 'stroke-width': 1.5 });
    }

    text(text, x, y, { fill, size = 12, align = 'start', weight = 400, family = 'system-ui, sans-serif' } = {}) {
        this.#add('text', {
            x, y, fill, 'font-size': size, 'font-weight': weight, 'font-family': family, 'text-anchor': align,
            'dominant-baseline': 'central',
        }, text);
    }

    measure(text, { size = 12, weight = 400, family = 'system-ui, sans-serif' } = {}) {
        this.#measuring.font = `${weight} ${size}px ${family}`;
        return this.#measuring.measureText(text).width;
    }

    /** The file. */
    toString() {
        return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" `
            + `width="${this.width}" height="${this.height}">\n${this.#parts.join('\n')}\n</svg>\n`;
    }

    #add(tag, attributes, text) {
        const list = Object.entries(attributes).map(([name, value]) => ` ${name}="${escape(rounded(value))}"`).join('');
        this.#parts.push(text === undefined ? `<${tag}${list}/>` : `<${tag}${list}>${escape(text)}</${tag}>`);
    }
}

function trace(context, points) {
    points.forEach(([x, y], index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
}

function pointList(points) {
    return points.map(([x, y]) => `${rounded(x)},${rounded(y)}`).join(' ');
}

function rounded(value) {
    return typeof value === 'number' ? Math.round(value * 100) / 100 : value;
}

function escape(text) {
    // Characters that XML forbids become the replacement character.
    return String(text)
        .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
        .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
