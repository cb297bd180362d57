// Devices, connections, attribute tables and traffic.

import { element, replace } from '../core/dom.js';
import { follow } from '../core/follow.js';
import { clock, count, duration, short } from '../core/format.js';
import { AttributeTables } from '../components/attribute-tables.js';
import { TableView } from '../components/table-view.js';

const parts = { devices: 'Devices', connections: 'Connections', tables: 'GATT tables', traffic: 'Traffic' };

export class DevicesView {
    #ends = [];
    #answer;

    constructor(context) {
        Object.assign(this, context);
        this.navigation = element('div.bar.tools', { role: 'tablist', 'aria-label': 'Parts' });
        this.body = element('div.part', { role: 'tabpanel', tabindex: '0', 'aria-label': 'Devices' });
        this.root = element('div.page-view', {}, this.navigation, this.body);
        this.#ends.push(this.state.listen(['part'], () => this.#show()));
        this.#show();
        this.following = follow(this.session, 'devices', {
            show: answer => this.#loaded(answer), fail: error => this.#loaded({ error: error.message }),
        });
    }

    close() {
        this.tables?.close();
        this.following.close();
        for (const end of this.#ends) end();
    }

    get #part() {
        return this.state.get('part') in parts ? this.state.get('part') : 'devices';
    }

    #loaded(answer) {
        this.#answer = answer;
        if (this.#part !== 'tables') this.#show();
    }

    #show() {
        replace(this.navigation, Object.entries(parts).map(([id, title]) => element('button', {
            type: 'button', role: 'tab', 'aria-selected': String(id === this.#part), 'aria-pressed': null,
            on: { click: () => this.state.set({ part: id }, { push: true }) },
        }, title)), this.#answer?.state === 'running' ? element('span.muted', {}, `${count(this.#answer.scanned)} packets counted`) : null);
        this.body.setAttribute('aria-label', parts[this.#part]);
        if (this.#part === 'tables') {
            this.tables ??= new AttributeTables(this);
            if (this.tables.root.parentNode !== this.body) replace(this.body, this.tables.root);
            return;
        }
        if (!this.#answer) return replace(this.body, element('p.empty', {}, 'Counting …'));
        const { statistics, error } = this.#answer;
        if (error || !statistics) return replace(this.body, element('p.empty', {}, error ?? 'Nothing was counted yet.'));
        replace(this.body, { devices: () => this.#devices(statistics), connections: () => this.#connections(statistics), traffic: () => this.#traffic(statistics) }[this.#part]());
    }

    #devices(statistics) {
        const advertised = new Map((this.#answer.advertised ?? []).map(item => [item.address, item]));
        return new TableView('Devices', [
            { title: 'Name', text: device => device.name ?? (device.adapter === undefined ? '' : `adapter hci${device.adapter}`) },
            { title: 'Address', text: device => [device.address, device.address_type].filter(Boolean).join(' ') },
            { title: 'Plugin', text: device => [device.plugin, device.dialect && `(${device.dialect})`].filter(Boolean).join(' ') },
            { title: 'Connections', number: true, text: device => count(device.connections ?? 0) },
            { title: 'Advertisements', number: true, text: device => count(device.advertisements ?? 0) },
            { title: 'RSSI', number: true, content: device => (device.rssi ? this.#rssi(device) : '') },
            { title: 'Last advertisement', wide: true, content: device => this.#advertisement(advertised.get(device.address)) },
            { title: '', content: device => (device.address ? element('button.text', {
                type: 'button', 'aria-label': `Packets of ${device.name ?? device.address}`,
                on: { click: () => this.#filter(`peer == ${device.address}`) },
            }, 'packets') : '') },
        ], statistics.devices ?? []).root;
    }

    #rssi(device) {
        const [low, high] = device.rssi;
        return element('a', {
            href: this.state.link({ view: 'plots', field: '', series: '', find: device.address }),
            on: { click: event => (event.preventDefault(), this.#plotRSSI(device)) },
            title: 'RSSI over time',
        }, (low === high ? `${low} dBm` : `${low} … ${high} dBm`).replaceAll('-', '−'));
    }

    async #plotRSSI(device) {
        const { series } = await this.api.result(this.session.id, 'series').catch(() => ({ series: [] }));
        const mine = series.filter(item => /rssi/i.test(`${item.field} ${item.label}`)
            && [device.address, device.name].some(name => name && (item.group ?? '').includes(name)));
        const chosen = (mine.length > 0 ? mine : series.filter(item => /rssi/i.test(item.field))).slice(0, 8);
        this.state.set({ view: 'plots', series: chosen.map(item => item.id) }, { push: true });
    }

    #advertisement(item) {
        if (!item) return '';
        return element('button.text', {
            type: 'button', on: { click: () => this.state.set({ view: 'packets', frame: item.number }, { push: true }) },
        }, element('span.foreign', {}, short(item.info)));
    }

    #filter(expression) {
        this.state.set({ view: 'packets', filter: expression }, { push: true });
    }

    #connections(statistics) {
        const start = Date.parse(statistics.start);
        const length = connection => (Date.parse(connection.end) - Date.parse(connection.start)) / 1000;
        return new TableView('Connections', [
            { title: 'No.', number: true, text: connection => String(connection.number) },
            { title: 'Handle', text: connection => (connection.handle === undefined ? '' : `0x${connection.handle.toString(16).padStart(4, '0')}`) },
            { title: 'From', text: connection => connection.sender },
            { title: 'To', text: connection => connection.receiver },
            { title: 'Start', number: true, text: connection => duration((Date.parse(connection.start) - start) / 1000), hint: connection => clock(Date.parse(connection.start) / 1000) },
            { title: 'Length', number: true, text: connection => duration(length(connection)) },
            { title: 'Frames', number: true, text: connection => count(connection.frames) },
            { title: 'MTU', number: true, text: connection => connection.mtu },
            { title: 'Interval', number: true, text: connection => (connection.interval === undefined ? '' : `${connection.interval} ms`) },
            { title: 'Encrypted', text: connection => (connection.encrypted ? 'yes' : 'no') },
            { title: 'Beginning', text: connection => (connection.beginning_captured ? 'captured' : 'missed') },
            { title: 'Ended', text: connection => (connection.reason === undefined ? '' : `reason 0x${connection.reason.toString(16).padStart(2, '0')}`) },
            { title: '', content: connection => element('span.bar', {},
                element('button.text', { type: 'button', 'aria-label': `Packets of connection ${connection.number}`, on: { click: () => this.#filter(`connection == ${connection.number}`) } }, 'packets'),
                element('button.text', { type: 'button', 'aria-label': `Ladder of connection ${connection.number}`, on: { click: () => this.state.set({ view: 'ladder', connection: connection.number }, { push: true }) } }, 'ladder')) },
        ], statistics.connections ?? []).root;
    }

    #traffic(statistics) {
        const problems = Object.entries(statistics.quality ?? {}).filter(([, value]) => value > 0)
            .map(([name, value]) => ({ name: name.replaceAll('_', ' '), count: value }));
        const counts = [
            { title: 'Kind', text: row => row.name },
            { title: 'Packets', number: true, text: row => count(row.count) },
        ];
        const time = statistics.response_time;
        return element('div.columns-of-text', {},
            element('div', {}, element('section', {}, element('h2', {}, 'Traffic'), new TableView('Traffic', counts, statistics.traffic ?? []).root,
                time ? element('p', {}, `ATT response time ${duration(time.mean / 1000)} on average, ${duration(time.longest / 1000)} at most`) : null),
            element('section', {}, element('h2', {}, 'Quality of the capture'),
                problems.length > 0 ? new TableView('Quality', counts, problems).root : element('p', {}, 'No problems.'))),
            element('section', {}, element('h2', {}, 'Use of attributes'), new TableView('Attributes', [
                { title: 'Attribute', wide: true, text: row => [row.service, row.characteristic, row.descriptor].filter(Boolean).join(' / ') },
                ...['reads', 'writes', 'commands', 'notified', 'indicated'].map(name => ({ title: name, number: true, text: row => (row[name] ? count(row[name]) : '·') })),
            ], statistics.attributes ?? []).root));
    }
}
