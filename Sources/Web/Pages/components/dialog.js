// Modal dialogs on the browser's own <dialog>, which keeps the focus inside and closes on Escape.

import { element } from '../core/dom.js';
import { shortcuts } from '../core/keys.js';

/** Shows a dialog with a form; returns the values by name, or `undefined` if it was cancelled. */
export function ask(title, fields, { button = 'OK' } = {}) {
    return new Promise(resolve => {
        const inputs = fields.map(field => element(field.long ? 'textarea' : 'input', {
            name: field.name, type: field.long ? null : field.type ?? 'text', value: field.value ?? '', required: field.required,
            maxlength: field.limit, min: field.min, max: field.max, step: field.type === 'number' ? 'any' : null,
            rows: field.long ? '3' : null, autocomplete: 'off', spellcheck: field.long ? null : 'false',
        }));
        const form = element('form', { method: 'dialog' },
            element('h2', {}, title),
            fields.map((field, index) => element('label', {}, field.label, inputs[index])),
            element('div.bar', {},
                element('button', { type: 'button', on: { click: () => dialog.close() } }, 'Cancel'),
                element('button.primary', { value: 'ok' }, button)));
        const dialog = show(title, form, () => {
            resolve(dialog.returnValue === 'ok'
                ? Object.fromEntries(inputs.map(input => [input.name, input.value.trim()]))
                : undefined);
        });
        inputs[0]?.focus();
        inputs[0]?.select();
    });
}

/** Shows the keyboard shortcuts. */
export function showShortcuts() {
    const dialog = show('Keyboard', element('form', { method: 'dialog' },
        element('h2', {}, 'Keyboard'),
        element('table', {}, element('tbody', {}, shortcuts.map(([keys, text]) =>
            element('tr', {}, element('th', { scope: 'row' }, keys), element('td', {}, text))))),
        element('div.bar', {}, element('button.primary', { value: 'ok' }, 'Close'))), () => {});
    dialog.querySelector('button').focus();
    // The button is below the list, which is read from its beginning.
    dialog.scrollTop = 0;
}

function show(label, content, onClose) {
    const dialog = element('dialog', { 'aria-label': label }, content);
    dialog.addEventListener('close', () => {
        dialog.remove();
        onClose();
    });
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}
