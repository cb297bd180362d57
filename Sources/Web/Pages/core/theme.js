// Colours of drawings, read from the style sheet, so that light and dark have one owner: style/tokens.css.

const seriesCount = 8;

const names = [
    'text', 'muted', 'line', 'faint', 'ground', 'panel', 'accent', 'fail', 'warning', 'pass', 'request', 'response',
    'notification', 'selected', 'edge',
];

/** The colours of the current theme by their names in style/tokens.css, and `series`, a list. */
export function colours() {
    const probe = document.createElement('span');
    document.body.append(probe);
    // A computed colour has `light-dark()` resolved, which the value of a custom property has not.
    const colour = name => {
        probe.style.color = `var(--${name})`;
        return getComputedStyle(probe).color;
    };
    const result = Object.fromEntries(names.map(name => [name, colour(name)]));
    result.series = Array.from({ length: seriesCount }, (_, index) => colour(`series-${index + 1}`));
    probe.remove();
    return result;
}

/** Chooses light, dark or the system's setting, and remembers the choice. */
export function setTheme(name) {
    if (name === 'light' || name === 'dark') document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
    try {
        localStorage.setItem('theme', name);
    } catch {
        // Storage may be forbidden; the choice then lasts as long as the page.
    }
    dispatchEvent(new Event('themechange'));
}

/** The remembered choice: `light`, `dark` or `system`. */
export function theme() {
    try {
        return localStorage.getItem('theme') ?? 'system';
    } catch {
        return document.documentElement.dataset.theme ?? 'system';
    }
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => dispatchEvent(new Event('themechange')));
