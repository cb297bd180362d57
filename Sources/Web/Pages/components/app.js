// The frame of the page: tabs of files, the navigation, the filter, the view, the state of the connection.

import { announce, element, replace } from '../core/dom.js';
import { bytes, count, countOf, duration, fileLabels, filePath } from '../core/format.js';
import { bindKeys, isTyping, keyName } from '../core/keys.js';
import { Session } from '../core/session.js';
import { setTheme, theme } from '../core/theme.js';
import { showShortcuts } from './dialog.js';
import { FilterBar } from './filter-bar.js';
import { PacketsView } from '../views/packets.js';
import { LadderView } from '../views/ladder.js';
import { PlotsView } from '../views/plots.js';
import { DevicesView } from '../views/devices.js';
import { VerdictsView } from '../views/verdicts.js';
import { ProductsView } from '../views/products.js';

const views = [
    { id: 'packets', title: 'Packets', make: PacketsView, filtered: true },
    { id: 'ladder', title: 'Ladder', make: LadderView },
    { id: 'plots', title: 'Plots', make: PlotsView },
    { id: 'devices', title: 'Devices', make: DevicesView },
    { id: 'verdicts', title: 'Verdicts', make: VerdictsView },
    { id: 'products', title: 'Products', make: ProductsView },
];

/** State names in the address that belong to one file, not to the page. */
const ofFile = ['frame', 'filter', 'from', 'to', 'connection', 'series', 'field', 'server', 'handle', 'rule', 'follow', 'verdict', 'device'];

/** The state change that selects a file and clears the values of another file. */
function withFile(id) {
    return { ...Object.fromEntries(ofFile.map(name => [name, undefined])), file: id };
}

const themes = { system: '◐ System', light: '○ Light', dark: '● Dark' };

export class App {
    #sessions = new Map();
    #view;
    #shown = '';

    constructor(api, state) {
        this.api = api;
        this.state = state;
        this.tabs = element('nav.tabs', { 'aria-label': 'Files' });
        this.chooser = element('input', { type: 'file', multiple: true, hidden: true, on: { change: () => this.#open([...this.chooser.files]) } });
        this.theme = element('button.plain', { type: 'button', on: { click: () => this.#nextTheme() } });
        this.navigation = element('nav.views', { 'aria-label': 'Views' });
        this.filterBar = new FilterBar({ api, applied: () => this.session?.filterText ?? '', onApply: text => this.#applyFilter(text) });
        this.main = element('main', { id: 'view', tabindex: '-1' });
        this.message = element('div.message', { role: 'alert', hidden: true });
        this.status = element('footer.status');
        this.root = element('div.shell', {},
            element('header.top', {},
                element('h1', {}, 'gattbench'), this.tabs,
                element('button.plain', { type: 'button', title: 'Open a capture', 'aria-label': 'Open a capture', on: { click: () => this.chooser.click() } }, '+'),
                this.chooser, element('span.spread'), this.theme,
                element('button.plain', { type: 'button', title: 'Keyboard', 'aria-label': 'Keyboard shortcuts', on: { click: showShortcuts } }, '?')),
            this.navigation, this.filterBar.root, this.message, this.main, this.status);
        this.#showTheme();
        this.#acceptFiles();
        bindKeys(document, {
            'Ctrl+/': () => this.filterBar.input.focus(), '?': showShortcuts,
            Escape: event => (isTyping(event) ? false : this.main.focus()),
        });
        document.addEventListener('keydown', event => {
            const place = Number(keyName(event));
            if (!isTyping(event) && place >= 1 && place <= views.length && !document.querySelector('dialog[open]')) {
                state.set({ view: views[place - 1].id }, { push: true });
            }
        });
        state.listen(['view', 'file'], () => this.#show());
        state.listen(['filter'], () => this.#followFilter());
    }

    async start() {
        this.api.addEventListener('file', ({ detail }) => this.#updated(detail));
        this.api.addEventListener('closed', ({ detail }) => this.#closed(detail.file));
        this.api.addEventListener('filter', ({ detail }) => this.#sessions.get(detail.file)?.filterProgressed(detail));
        this.api.addEventListener('progress', ({ detail }) => this.#sessions.get(detail.file)?.progressed(detail));
        this.api.addEventListener('lost', () => this.#tell('The server does not answer. The page goes on when it is back.'));
        this.api.addEventListener('end', () => this.#tell('gattbench web has ended. The page goes on when it is started again.'));
        this.api.addEventListener('forbidden', () => this.#tell('The server was started anew, with another token. Open the address that it printed.'));
        this.api.addEventListener('connected', () => this.#connected());
        this.api.listen();
        await this.#load();
    }

    #loaded = false;

    /** Lists the files. State received in events meanwhile is newer than the list, unless the server was restarted. */
    async #load(isAnew = false) {
        try {
            const { files, program } = await this.api.files();
            this.program = program;
            const known = new Set(files.map(file => file.id));
            for (const id of [...this.#sessions.keys()]) if (!known.has(id)) this.#closed(id);
            for (const file of files) if (isAnew || !this.#sessions.has(file.id)) this.#updated(file);
            this.#loaded = true;
            this.#show();
        } catch (error) {
            this.#tell(error.status === 401 || error.status === 403
                ? 'This address lacks the token. Open the one that gattbench web printed.' : `The files cannot be listed: ${error.message}`);
        }
    }

    async #connected() {
        this.message.hidden = true;
        if (!this.#loaded || !this.wasLost) return;
        this.wasLost = false;
        await this.#load(true);
        // The server that knew the filters is gone.
        await Promise.all([...this.#sessions.values()].map(session => session.restore()));
        this.#shown = '';
        this.#show();
        announce('connected again');
    }

    #tell(text) {
        this.wasLost = true;
        this.message.hidden = false;
        replace(this.message, text);
    }

    get session() {
        return this.#sessions.get(this.state.get('file')) ?? this.#sessions.values().next().value;
    }

    #updated(file) {
        const session = this.#sessions.get(file.id);
        if (session) {
            session.update(file);
        } else {
            this.#sessions.set(file.id, new Session(this.api, file));
            this.#sessions.get(file.id).addEventListener('filter', () => this.#showStatus());
        }
        this.#showTabs();
        this.#showStatus();
        if (!session && this.#loaded) this.#show();
    }

    #closed(id) {
        const isCurrent = this.session?.id === id;
        this.#sessions.get(id)?.close();
        this.#sessions.delete(id);
        if (isCurrent) this.state.set(withFile(this.session?.id));
        this.#showTabs();
        this.#show();
    }

    #select(id) {
        if (this.session?.id === id) return;
        this.state.set(withFile(id), { push: true });
    }

    #show() {
        const { session } = this;
        const view = views.find(candidate => candidate.id === this.state.get('view')) ?? views[0];
        const key = `${session?.id ?? ''} ${view.id}`;
        this.#showTabs();
        this.#showNavigation(view);
        this.filterBar.root.hidden = !view.filtered || !session;
        this.#showStatus();
        document.title = session ? `${session.file.name} – gattbench` : 'gattbench';
        if (key === this.#shown) return;
        this.#shown = key;
        this.#view?.close();
        this.#view = session && new view.make({
            api: this.api, state: this.state, session, sessions: () => [...this.#sessions.values()],
            applyFilter: text => this.filterBar.apply(text),
        });
        replace(this.main, this.#view?.root ?? this.#welcome());
        // The packet list's own buttons share the line of the filter.
        if (this.#view && view.filtered) this.filterBar.root.append(this.#view.tools);
        this.#followFilter();
        announce(view.title);
    }

    #welcome() {
        return element('div.empty', {}, element('h2', {}, 'No capture is open'),
            element('p', {}, 'Drop a capture file on this page, or choose one: btsnoop, PacketLogger, pcap or pcapng, also with gzip.'),
            element('p', {}, element('button.primary', { type: 'button', on: { click: () => this.chooser.click() } }, 'Open a capture')));
    }

    #showTabs() {
        const current = this.session?.id;
        const files = [...this.#sessions.values()].map(({ file }) => file);
        const labels = fileLabels(files);
        const signature = files.map(file => `${file.id} ${labels.get(file.id)} ${file.live}`).join('\n') + current;
        if (signature === this.tabSignature) return;
        this.tabSignature = signature;
        replace(this.tabs, files.map(file => element('span.tab-and-close', {},
            element('button.tab', {
                type: 'button', 'aria-current': file.id === current ? 'true' : null, title: filePath(file),
                on: { click: () => this.#select(file.id) },
            }, file.live ? element('span.live', { title: 'live' }, '●') : null, element('span.foreign', {}, labels.get(file.id))),
            element('button.plain.close', {
                type: 'button', 'aria-label': `Close ${labels.get(file.id)}`,
                on: { click: () => this.api.closeFile(file.id).then(() => this.#closed(file.id), error => this.#complain(error)) },
            }, '×'))));
        this.tabs.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }

    #showNavigation(current) {
        replace(this.navigation, views.map((view, index) => element('a', {
            href: this.state.link({ view: view.id }), 'aria-current': view === current ? 'page' : null, title: `${view.title} (${index + 1})`,
        }, view.title)));
    }

    #showStatus() {
        const { session } = this;
        if (!session) return replace(this.status, this.program ?? '');
        const { file, filter } = session;
        this.filterBar.showProgress(filter, file.packets);
        const isReading = file.state === 'running';
        const reading = !isReading ? '' : file.live ? 'live'
            : file.size ? `reading, ${Math.floor((100 * (file.read ?? 0)) / file.size)} %` : 'reading';
        replace(this.status,
            element('span', {}, countOf(file.packets, 'packet')),
            filter ? element('span', {}, `${count(filter.matches)} shown`) : null,
            element('span', {}, duration(file.duration)),
            element('span', {}, [file.format, file.size ? bytes(file.size) : ''].filter(Boolean).join(', ')),
            reading ? element('span', {}, reading) : null,
            file.state === 'failed' ? element('span.verdict.fail.foreign', {}, file.error ?? 'failed') : null,
            (file.warnings ?? []).slice(0, 3).map(warning => element('span.severity.warning.foreign', { title: warning }, warning)),
            element('span.spread'), element('span.muted', {}, this.program ?? ''));
    }

    async #applyFilter(text) {
        const { session } = this;
        if (!session) return;
        await session.applyFilter(text);
        // Another file may have been selected meanwhile.
        if (this.session === session) this.state.set({ filter: session.filterText });
    }

    /** Applies the filter that the address names. */
    async #followFilter() {
        const { session } = this;
        if (!session) return;
        const text = this.state.get('filter');
        if (text === session.filterText) return this.filterBar.show(text);
        this.filterBar.show(text);
        await this.filterBar.apply(text);
    }

    #acceptFiles() {
        const isFile = event => event.dataTransfer?.types.includes('Files');
        addEventListener('dragover', event => {
            if (!isFile(event)) return;
            event.preventDefault();
            this.root.classList.add('dropping');
        });
        addEventListener('dragleave', event => {
            if (!event.relatedTarget) this.root.classList.remove('dropping');
        });
        addEventListener('drop', event => {
            if (!isFile(event)) return;
            event.preventDefault();
            this.root.classList.remove('dropping');
            this.#open([...event.dataTransfer.files]);
        });
    }

    async #open(files) {
        for (const content of files) {
            try {
                const file = await this.api.openFile(content.name.slice(0, 255), content);
                // An event may already have brought newer state.
                if (!this.#sessions.has(file.id)) this.#updated(file);
                this.#select(file.id);
            } catch (error) {
                this.#complain(error, content.name);
            }
        }
        this.chooser.value = '';
    }

    #complain(error, name = '') {
        this.message.hidden = false;
        replace(this.message, element('span.foreign', {}, [name, error.message].filter(Boolean).join(': ')),
            element('button.plain', { type: 'button', on: { click: () => (this.message.hidden = true) } }, 'Close'));
    }

    #nextTheme() {
        const names = Object.keys(themes);
        setTheme(names[(names.indexOf(theme()) + 1) % names.length]);
        this.#showTheme();
    }

    #showTheme() {
        replace(this.theme, themes[theme()] ?? themes.system);
        this.theme.title = 'Colours: system, light, dark';
    }
}
