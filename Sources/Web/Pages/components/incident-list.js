// What failed in the capture: the cause of each failure, the packets that show it, and what to do.

import { element, replace } from '../core/dom.js';
import { follow } from '../core/follow.js';
import { count, countOf, short } from '../core/format.js';

const shownIncidents = 200;
const shownPackets = 12;

export class IncidentList {
    /** `context` has the session and the state of the page. */
    constructor(context) {
        Object.assign(this, context);
        this.root = element('section.device.incidents');
        this.following = follow(this.session, 'incidents', {
            show: answer => this.#loaded(answer),
            fail: error => this.#loaded({ state: 'failed', error: error.message, scanned: 0 }),
        });
    }

    close() {
        this.following.close();
    }

    #loaded(answer) {
        // Unfolded causes stay unfolded while nothing changes.
        const signature = JSON.stringify(answer.report ?? answer);
        if (signature === this.signature) return;
        this.signature = signature;
        replace(this.root, element('h2', {}, 'Why it failed'), this.#content(answer));
    }

    #content({ report, state, error, scanned }) {
        if (!report) {
            return state === 'failed' ? element('p.notice.fail', {}, error)
                : element('p.muted', {}, `Looking for failures, ${count(scanned ?? 0)} packets so far …`);
        }
        const { incidents } = report;
        const more = Math.max(incidents.length - shownIncidents, 0) + (report.omitted ?? 0);
        return [
            report.not_read ? element('p.notice', {}, `Not read to its end: ${short(report.not_read)}`) : null,
            incidents.length === 0 ? element('p.muted', {}, 'Nothing went wrong.') : null,
            incidents.slice(0, shownIncidents).map(incident => this.#incident(incident)),
            more > 0 ? element('p.muted', {}, countOf(more, 'more incident')) : null,
        ];
    }

    #incident(incident) {
        const isCertain = incident.confidence === 'certain';
        const place = [incident.connection && `connection ${incident.connection}`, incident.device && short(incident.device, 120)];
        return element('article.incident', { data: { cause: incident.cause ?? '' } },
            element('div.bar', {},
                element('span.verdict', { class: isCertain ? 'fail' : 'warning' }, `${isCertain ? '✕' : '△'} ${incident.what.replaceAll('_', ' ')}`),
                incident.cause ? element('span.mono', {}, incident.cause) : element('span', {}, 'no cause found'),
                incident.confidence ? element('span.muted', {}, incident.confidence) : null,
                element('span.muted.foreign', {}, place.filter(Boolean).join(', '))),
            element('p.foreign', {}, short(incident.text, 1000)),
            element('div.bar', {}, incident.frames.slice(0, shownPackets).map(number => element('a', {
                href: this.state.link({ view: 'packets', frame: number, filter: '' }),
            }, `packet ${count(number)}`)),
            incident.frames.length > shownPackets ? element('span.muted', {}, `${count(incident.frames.length - shownPackets)} more`) : null),
            incident.advice ? element('p.advice', {}, incident.advice) : null,
            incident.considered.length === 0 ? null : element('details', {},
                element('summary', {}, `${countOf(incident.considered.length, 'other cause')} considered`),
                element('dl', {}, incident.considered.map(other => [
                    element('dt.mono', {}, other.cause), element('dd.foreign', {}, short(other.against, 1000)),
                ]))));
    }
}
