// Elements without markup: every string becomes a text node or an attribute value, so names that devices send
// can never be read as HTML.

const svgNamespace = 'http://www.w3.org/2000/svg';

/**
 * Creates an element. `kind` is a tag with optional classes, `'button.primary'`.
 *
 * Attributes: `on` is an object of event listeners, `data` an object of data attributes, `true` an empty attribute;
 * `false`, `null` and `undefined` leave the attribute out.
 */
export function element(kind, attributes = {}, ...children) {
    return fill(document.createElement(tagOf(kind)), kind, attributes, children);
}

/** A button whose text is short or a sign; `label` says what it does. */
export function toolButton(text, label, action) {
    return element('button', { type: 'button', 'aria-label': label, title: label, on: { click: action } }, text);
}

/** Creates an SVG element, with the same parameters as `element`. */
export function svgElement(kind, attributes = {}, ...children) {
    return fill(document.createElementNS(svgNamespace, tagOf(kind)), kind, attributes, children);
}

/** Replaces the children of a node. */
export function replace(node, ...children) {
    node.replaceChildren(...children.flat(Infinity).filter(isShown).map(asNode));
    return node;
}

/** Announces a visible change to assistive technology. */
export function announce(text) {
    const region = document.getElementById('announcer');
    if (region) region.textContent = text;
}

/** Runs the newest call once per animation frame. */
export function perFrame(action) {
    let pending = 0;
    return () => {
        pending ||= requestAnimationFrame(() => {
            pending = 0;
            action();
        });
    };
}

/** Runs the newest call when there was none for a time. */
export function debounce(milliseconds, action) {
    let timer = 0;
    return (...parameters) => {
        clearTimeout(timer);
        timer = setTimeout(() => action(...parameters), milliseconds);
    };
}

/** Offers bytes or text to the user as a file. */
export function save(name, content, type) {
    const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    element('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function tagOf(kind) {
    return kind.split('.')[0];
}

function fill(node, kind, attributes, children) {
    const classes = kind.split('.').slice(1);
    if (classes.length > 0) node.classList.add(...classes);
    for (const [name, value] of Object.entries(attributes)) setAttribute(node, name, value);
    node.append(...children.flat(Infinity).filter(isShown).map(asNode));
    return node;
}

function setAttribute(node, name, value) {
    if (value === false || value === null || value === undefined) return;
    if (name === 'on') {
        for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === 'data') {
        for (const [key, datum] of Object.entries(value)) node.dataset[key] = datum;
    } else if (name === 'class') {
        node.classList.add(...value.split(' ').filter(Boolean));
    } else if (name === 'value' || name === 'checked' || name === 'selected') {
        node[name] = value;
    } else {
        node.setAttribute(name, value === true ? '' : value);
    }
}

function isShown(child) {
    return child !== null && child !== undefined && child !== false;
}

function asNode(child) {
    return child instanceof Node ? child : document.createTextNode(String(child));
}
