// Keyboard shortcuts. Only the innermost active map with a binding is used.

/** Name of a key press: `Ctrl+G`, `Shift+ArrowDown`, `m`. */
export function keyName(event) {
    const plain = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    const control = event.ctrlKey || event.metaKey ? 'Ctrl+' : '';
    const alt = event.altKey ? 'Alt+' : '';
    const shift = event.shiftKey && (event.key.length > 1 || control) ? 'Shift+' : '';
    return control + alt + shift + plain;
}

/** Whether the key press belongs to a text field. */
export function isTyping(event) {
    const target = event.target;
    return target instanceof HTMLElement && (target.matches('input:not([type=checkbox]), textarea, select') || target.isContentEditable);
}

/** Adds key bindings to a node; a binding that returns `false` leaves the key to others. A dialog keeps its keys. */
export function bindKeys(node, bindings) {
    const listener = event => {
        if (event.defaultPrevented || document.querySelector('dialog[open]')?.contains(node) === false) return;
        const name = keyName(event);
        const action = bindings[name];
        if (!action || (isTyping(event) && !name.startsWith('Ctrl+') && !/^(F\d|Escape)/.test(name))) return;
        if (action(event) !== false) event.preventDefault();
    };
    node.addEventListener('keydown', listener);
    return () => node.removeEventListener('keydown', listener);
}

/** The shortcuts that the help lists. Ctrl+N belongs to the browser, so the next match is F3. */
export const shortcuts = [
    ['↑ ↓ Page Up Page Down Home End', 'select a packet'],
    ['Ctrl+↑ Ctrl+↓', 'select the previous or next packet, also from the tree or the bytes'],
    ['Ctrl+G', 'go to a packet'],
    ['Ctrl+F', 'find the next packet that matches a filter'],
    ['F3, Shift+F3 or Ctrl+B', 'find next, find previous'],
    ['Ctrl+M', 'mark or unmark the packet'],
    ['F2, Shift+F2', 'next mark, previous mark'],
    ['Ctrl+/', 'edit the display filter'],
    ['Ctrl+Shift+I', 'add the selected field as a column'],
    ['← →', 'close or open a branch of the tree'],
    ['[ ]', 'request of a response, response of a request'],
    ['1 … 6', 'the views, in their order'],
    ['+ − 0', 'zoom in, out and to everything in ladder and plots'],
    ['?', 'this list'],
];
