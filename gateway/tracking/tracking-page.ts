import { hash } from 'node:crypto';
import { isoTime } from '../../engine/runtime/clock.ts';
import { directedText } from '../../engine/views/parts/directed-text.ts';
import { type Html, html } from '../../engine/views/parts/html.ts';
import { localTimeIn } from '../../engine/views/parts/local-time.ts';
import { screenOf } from '../pages/screen.ts';
import type { Link } from './open-tracking.ts';
import { headlineOf, type PageTask, partsOf, type Telling } from './tracking-parts.ts';
import { TRACKING_SCRIPT } from './tracking-script.ts';
import { TRACKING_STYLE } from './tracking-style.ts';

export const TRACKING_SCREEN = screenOf({
  style: TRACKING_STYLE,
  script: TRACKING_SCRIPT,
  sources: { 'connect-src': "'self'", 'form-action': "'self'" },
});

const DIGEST_CHARS = 22;

/** The page of a link. Its stream tells what has changed since it was made. */
export function trackingPage(link: Link, tasks: readonly PageTask[], telling: Telling): string {
  const { letterhead, own } = link;
  const { token, times } = telling;
  const [only] = tasks.length === 1 ? tasks : [];
  const events = `${token}/events?seen=${digestOfPage(link, changingParts(link, tasks, telling))}`;
  const main = html`<div data-events="${events}" data-zone="${letterhead.timeZone}">${!only && html`<h1 dir="auto" id="name-${own.shown.id}">${directedText(own.shown.name)}</h1>`}${tasks.map(
    (task) => article(task, telling, Boolean(only)),
  )}
<p class="foot">Times are in ${times.name}.<span id="again"> <a href="${token}">Look again</a> for what is new.</span></p></div>`;
  return TRACKING_SCREEN.page({ title: titleOf(link, tasks), letterhead, main });
}

function titleOf({ letterhead, own }: Pick<Link, 'letterhead' | 'own'>, tasks: readonly PageTask[]): string {
  const [only] = tasks.length === 1 ? tasks : [];
  return `${headlineOf((only ?? own).shown)} · ${letterhead.name}`;
}

/** The times on a page that is made or changed now. */
export function tellingOf({ letterhead }: Link, token: string, nowMs: number): Telling {
  return { token, times: localTimeIn(letterhead.timeZone), now: isoTime(nowMs) };
}

/** The changing parts of the page, by the ids of the elements that hold them, and its `title`, as HTML. */
export function changingParts(
  link: Pick<Link, 'letterhead' | 'own'>,
  tasks: readonly PageTask[],
  telling: Telling,
): ReadonlyMap<string, string> {
  const { own } = link;
  const parts = tasks.flatMap((task) => Object.entries(partsOf(task, telling)));
  parts.push(['title', html`${titleOf(link, tasks)}`]);
  if (tasks.length > 1) parts.push([`name-${own.shown.id}`, directedText(own.shown.name)]);
  return new Map(parts.map(([id, part]) => [id, part.toString()]));
}

/** The same for the same content: of the parts, by which a page is changed, and then of its letterhead, by which none is. */
export function digestOfPage({ letterhead }: Pick<Link, 'letterhead'>, parts: ReadonlyMap<string, string>): string {
  return digestOf(JSON.stringify([...parts])) + digestOf(JSON.stringify(letterhead));
}

/** Whether a page has another letterhead: its head, its foot and the zone of its times. */
export function hasOtherLetterhead(shown: string | undefined, digest: string): boolean {
  return shown?.length === digest.length && shown.slice(DIGEST_CHARS) !== digest.slice(DIGEST_CHARS);
}

export function digestOf(part: string): string {
  return hash('sha256', part, 'base64url').slice(0, DIGEST_CHARS);
}

function article(task: PageTask, telling: Telling, isAlone: boolean): Html {
  const { id } = task.shown;
  const parts = partsOf(task, telling);
  const part = (kind: string) => parts[`${kind}-${id}`]!;
  return html`<article aria-labelledby="name-${id}">
${isAlone ? html`<h1 class="name" id="name-${id}">${part('name')}</h1>` : html`<p class="name" id="name-${id}">${part('name')}</p>`}
<div class="status" id="status-${id}" role="status" aria-live="polite">${part('status')}</div>
<div class="map" id="map-${id}">${part('map')}</div>
<section id="steps-${id}">${part('steps')}</section>
<section id="details-${id}">${part('details')}</section>
<section id="rating-${id}">${part('rating')}</section>
</article>`;
}
