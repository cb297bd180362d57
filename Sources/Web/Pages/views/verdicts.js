// Why something failed, and the rules by device: what broke, what was expected and observed, and where.

import { element, replace } from '../core/dom.js';
import { follow } from '../core/follow.js';
import { count, countOf, duration, short } from '../core/format.js';
import { ask } from '../components/dialog.js';
import { IncidentList } from '../components/incident-list.js';
import { TableView } from '../components/table-view.js';

const verdicts = {
    fail: { title: 'failed', sign: '✕' }, warning: { title: 'warning', sign: '△' }, waived: { title: 'waived', sign: '○' },
    inconclusive: { title: 'inconclusive', sign: '?' }, pass: { title: 'passed', sign: '✓' },
    not_applicable: { title: 'not applicable', sign: '·' },
};
const order = Object.keys(verdicts);
const shownFindings = 20;
const shownResults = 500;

export class VerdictsView {
    #answer;
    #ends = [];

    constructor(context) {
        Object.assign(this, context);
        this.oracle = element('input', { type: 'checkbox', checked: this.state.get('oracle') === '1', on: { change: () => this.state.set({ oracle: this.oracle.checked ? '1' : '' }) } });
        this.choice = element('div.bar', { role: 'group', 'aria-label': 'Verdicts to show' });
        this.incidents = new IncidentList(context);
        this.note = element('div.caption', { role: 'status' });
        this.body = element('div.part', { tabindex: '0', 'aria-label': 'Rules', role: 'region' });
        this.root = element('div.page-view', {},
            element('div.bar.tools', {}, this.choice, element('span.spread'),
                element('label', { title: 'Compare devices with the twins of their plugins' }, this.oracle, ' Oracle')),
            this.body);
        this.#ends.push(
            this.state.listen(['verdict', 'rule'], () => this.#show()),
            this.state.listen(['oracle'], () => this.following.load()));
        this.following = follow(this.session, 'verdicts', {
            show: answer => this.#loaded(answer),
            fail: error => this.#loaded({ state: 'failed', error: error.message, scanned: 0 }),
            parameters: () => ({ oracle: this.state.get('oracle') === '1' ? 'true' : undefined }),
        });
    }

    close() {
        this.incidents.close();
        this.following.close();
        for (const end of this.#ends) end();
    }

    #loaded(answer) {
        // Unfolded rules stay unfolded while nothing changes.
        const signature = JSON.stringify(answer);
        if (signature === this.signature) return;
        this.signature = signature;
        this.#answer = answer;
        this.#show();
    }

    get #wanted() {
        return this.state.get('verdict') === '' ? ['fail', 'warning', 'waived', 'inconclusive'] : this.state.get('verdict').split(',');
    }

    #show() {
        const { report, state, error, scanned } = this.#answer;
        if (!report) {
            replace(this.choice);
            return replace(this.body, this.incidents.root, element('p.empty', {}, state === 'failed' ? error : `Checking, ${count(scanned ?? 0)} packets so far …`));
        }
        this.#showChoice(report.summary);
        const devices = [...report.devices, { id: undefined, title: 'Elsewhere' }];
        const results = this.#group(report.results);
        replace(this.body, this.incidents.root, this.#quality(report), this.#predictions(report), devices.map(device => this.#device(device, results)));
        this.body.querySelector('.chosen')?.scrollIntoView({ block: 'center' });
    }

    #showChoice(summary) {
        replace(this.choice, order.map(verdict => element('button', {
            type: 'button', 'aria-pressed': String(this.#wanted.includes(verdict)), on: { click: () => this.#toggle(verdict) },
        }, element('span.verdict', { class: verdict, 'aria-hidden': 'true' }, `${verdicts[verdict].sign} `), `${count(summary[verdict] ?? 0)} ${verdicts[verdict].title}`)));
    }

    #toggle(verdict) {
        const wanted = this.#wanted;
        this.state.set({ verdict: order.filter(item => wanted.includes(item) !== (item === verdict)).join(',') || 'none' });
    }

    /** Results of a rule for a device, of all its connections, in one entry. */
    #group(results) {
        const rule = this.state.get('rule');
        const wanted = results.filter(result => this.#wanted.includes(result.verdict) || (rule && result.rule === rule));
        const groups = Map.groupBy(wanted, result => `${result.device ?? ''}\n${result.rule}\n${result.verdict}`);
        return [...groups.values()].sort((a, b) => order.indexOf(a[0].verdict) - order.indexOf(b[0].verdict));
    }

    #quality(report) {
        const problems = Object.entries(report.quality).filter(([, value]) => value > 0);
        return [
            problems.length === 0 ? null : element('p.notice', {}, 'Gaps of the capture limit the results: ',
                problems.map(([name, value]) => `${name.replaceAll('_', ' ')} ${count(value)}`).join(', ')),
            report.omissions.map(omission => element('p.notice.fail', {}, typeof omission === 'string' ? omission : omission.text ?? omission.reason ?? JSON.stringify(omission))),
            (report.unused_waivers ?? []).map(waiver => element('p.notice', {}, 'Unused waiver: ', typeof waiver === 'string' ? waiver : `${waiver.rule ?? ''} ${waiver.reason ?? ''}`)),
        ];
    }

    /** Values predicted by the twins beside the devices' values. */
    #predictions(report) {
        const { oracle } = this.#answer;
        if (!oracle) return null;
        const results = report.results.filter(result => oracle.includes(result.rule));
        const compared = results.reduce((sum, result) => sum + (result.passes ?? 0) + (result.failures ?? 0), 0);
        const differences = results.flatMap(result => (result.findings ?? []).map(finding => ({ result, finding })));
        const failures = results.reduce((sum, result) => sum + (result.failures ?? 0), 0);
        return element('section.device.predictions', {},
            element('h2', {}, 'Predicted and observed'),
            element('p', { class: failures > 0 ? '' : 'muted' }, compared === 0 ? 'No device here has a twin to compare it with.'
                : `${countOf(compared, 'comparison')} with twins, ${countOf(failures, 'difference')}.`),
            failures === 0 ? null : new TableView('Differences from twins', [
                { title: 'Packet', number: true, content: ({ finding }) => this.#packetLink(finding.frames?.at(-1)?.number) },
                { title: 'Device', text: ({ result }) => result.device },
                { title: 'Rule', content: ({ result }) => element('a.mono', { href: this.state.link({ rule: result.rule }), title: result.text }, result.rule) },
                { title: 'Predicted', wide: true, text: ({ finding }) => finding.expected },
                { title: 'Observed', wide: true, text: ({ finding }) => finding.observed },
            ], differences).root,
            failures > differences.length ? element('p.muted', {}, `${count(failures - differences.length)} more differences`) : null);
    }

    #packetLink(number) {
        return number ? element('a', { href: this.state.link({ view: 'packets', frame: number, filter: '' }) }, count(number)) : '';
    }

    #device(device, groups) {
        const mine = groups.filter(([result]) => result.device === device.id);
        const title = [device.title, device.address !== device.title && device.address, device.plugin && `${device.plugin} (${device.dialect ?? ''})`, device.firmware && `firmware ${device.firmware}`].filter(Boolean);
        return element('section.device', {},
            element('h2.foreign', {}, title.map(text => short(String(text), 120)).join('  ')),
            mine.length === 0 ? element('p.muted', {}, 'No rule with these verdicts.') : null,
            mine.slice(0, shownResults).map(results => this.#rule(results, device)),
            mine.length > shownResults ? element('p.muted', {}, `${count(mine.length - shownResults)} more rules; choose fewer verdicts.`) : null);
    }

    #rule(results, device) {
        const [result] = results;
        const { verdict } = result;
        const findings = results.flatMap(item => (item.findings ?? []).map(finding => ({ finding, connection: item.connection })));
        const isChosen = this.state.get('rule') === result.rule;
        const passes = results.reduce((sum, item) => sum + (item.passes ?? 0), 0);
        const failures = results.reduce((sum, item) => sum + (item.failures ?? 0), 0);
        return element('details.rule', { open: isChosen || verdict === 'fail', class: isChosen ? 'chosen' : '', data: { rule: result.rule } },
            element('summary', {},
                element('span.verdict', { class: verdict }, `${verdicts[verdict].sign} ${verdicts[verdict].title}`),
                element('span.mono', {}, result.rule), element('span.rule-text', {}, result.text),
                element('span.muted', {}, failures > 0 ? `${count(failures)} of ${count(failures + passes)}` : passes > 0 ? count(passes) : '')),
            element('div.rule-body', {},
                element('dl', {},
                    entry('Source', result.source), entry('Role', result.role), entry('Reason', result.reason),
                    entry('Hint', result.hint), entry('Known quirk', result.quirk), entry('Waiver', result.waiver?.reason ?? (typeof result.waiver === 'string' ? result.waiver : undefined))),
                findings.slice(0, shownFindings).map(({ finding, connection }) => this.#finding(finding, connection, this.#answer.oracle?.includes(result.rule))),
                findings.length > shownFindings ? element('p.muted', {}, `${count(findings.length - shownFindings)} more findings`) : null,
                findings.length === 0 && result.expected ? this.#finding({ ...result, frames: (result.frames ?? []).map(number => ({ number })) }, result.connection) : null,
                verdict === 'fail' || verdict === 'warning' ? this.#waive(result, device) : null));
    }

    #finding(finding, connection, isPredicted = false) {
        const start = Date.parse(this.#answer.report.first);
        return element('div.finding', {},
            element('div.bar', {}, (finding.frames ?? []).slice(0, 12).map(frame => element('a', {
                href: this.state.link({ view: 'packets', frame: frame.number, filter: '' }),
            }, `packet ${count(frame.number)}`)),
            finding.frames?.[0] ? element('a', { href: this.#ladderLink(finding, connection) }, 'ladder') : null,
            element('span.muted', {}, [connection && `connection ${connection}`, finding.sender && `sent by ${finding.sender}`,
                finding.frames?.[0]?.time && `at ${duration((Date.parse(finding.frames[0].time) - start) / 1000, 6)}`].filter(Boolean).join(', '))),
            element('dl', {}, entry(isPredicted ? 'Predicted' : 'Expected', finding.expected), entry('Observed', finding.observed),
                entry('Follows from', finding.follows && `${finding.follows.rule}, packet ${finding.follows.frame}`)));
    }

    #ladderLink(finding, connection) {
        const time = (Date.parse(finding.frames[0].time) - Date.parse(this.#answer.report.first)) / 1000;
        const window = Number.isFinite(time) ? { from: Math.max(0, time - 0.1).toFixed(6), to: (time + 0.1).toFixed(6) } : {};
        return this.state.link({ view: 'ladder', frame: finding.frames[0].number, connection: connection ?? '', ...window });
    }

    #waive(result, device) {
        const isPossible = this.#answer.waivers === true;
        return element('div.bar', {}, element('button', {
            type: 'button', disabled: !isPossible, on: { click: () => this.#askForWaiver(result, device) },
        }, 'Waive…'), isPossible ? null : element('span.muted', {}, 'Start gattbench web with --waivers FILE to waive rules.'));
    }

    async #askForWaiver(result, device) {
        const values = await ask(`Waive ${result.rule}`, [
            { name: 'reason', label: 'Reason', long: true, required: true, limit: 1000 },
            { name: 'device', label: 'Device (name or address; empty for all)', value: device.address ?? device.title, limit: 250 },
            { name: 'link', label: 'Link to an issue', limit: 1000 },
            { name: 'expires', label: 'Last day', type: 'date' },
        ], { button: 'Waive' });
        if (!values) return;
        const waiver = Object.fromEntries(Object.entries({ rule: result.rule, ...values }).filter(([, value]) => value !== ''));
        try {
            await this.api.addWaiver(waiver);
            await this.following.load();
        } catch (error) {
            replace(this.note, element('p.notice.fail', {}, error.message));
            this.body.prepend(this.note);
        }
    }
}

function entry(name, value) {
    return value === undefined || value === null || value === '' ? null
        : [element('dt', {}, name), element('dd.foreign', {}, short(String(value), 4000))];
}
