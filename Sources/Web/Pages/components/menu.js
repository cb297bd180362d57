// A menu at a place of the page, for the pointer and the keyboard.

import { element } from '../core/dom.js';

let open;

/** Shows a menu. Items are `{text, action}`, or `null` for a separator. Focus returns when it closes. */
export function showMenu(x, y, items, label) {
    open?.close();
    const back = document.activeElement;
    const root = element('div.menu', { role: 'menu', 'aria-label': label });
    const close = () => {
        removeEventListener('pointerdown', outside, true);
        removeEventListener('resize', close);
        root.remove();
        open = undefined;
    };
    const outside = event => {
        if (!root.contains(event.target)) close();
    };
    for (const item of items) {
        root.append(item
            ? element('button', {
                role: 'menuitem', tabindex: '-1', type: 'button',
                on: {
                    click: () => {
                        close();
                        back?.focus?.();
                        item.action();
                    },
                },
            }, item.text)
            : element('div', { role: 'separator' }));
    }
    root.addEventListener('keydown', event => {
        const buttons = [...root.querySelectorAll('button')];
        const place = buttons.indexOf(document.activeElement);
        if (event.key === 'ArrowDown') buttons[(place + 1) % buttons.length].focus();
        else if (event.key === 'ArrowUp') buttons.at(place - 1).focus();
        else if (event.key === 'Home') buttons[0].focus();
        else if (event.key === 'End') buttons.at(-1).focus();
        else if (event.key === 'Escape' || event.key === 'Tab') {
            close();
            back?.focus?.();
        } else if (event.key !== 'Enter' && event.key !== ' ') return;
        else return event.stopPropagation();
        event.preventDefault();
        event.stopPropagation();
    });
    document.body.append(root);
    root.style.left = `${Math.max(8, Math.min(x, innerWidth - root.offsetWidth - 8))}px`;
    root.style.top = `${Math.max(8, Math.min(y, innerHeight - root.offsetHeight - 8))}px`;
    root.querySelector('button')?.focus();
    addEventListener('pointerdown', outside, true);
    addEventListener('resize', close);
    open = { close };
}

/** Shows a menu below an element. */
export function showMenuBelow(node, items, label) {
    const place = node.getBoundingClientRect();
    showMenu(place.left, place.bottom + 2, items, label);
}
