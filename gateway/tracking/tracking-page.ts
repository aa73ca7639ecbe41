import { hash } from 'node:crypto';
import { type Html, html, trusted } from '../../engine/views/parts/html.ts';
import type { Header } from '../http/port.ts';
import { pageHeaders } from '../pages/page-headers.ts';
import type { Link } from './open-tracking.ts';
import { headlineOf, type PageTask, partsOf, timeOf } from './tracking-parts.ts';
import { TRACKING_SCRIPT } from './tracking-script.ts';
import { TRACKING_STYLE } from './tracking-style.ts';

const SOURCES = { 'connect-src': "'self'", 'form-action': "'self'" };

/** The headers of every tracking page, with any content. */
export const TRACKING_HEADERS: readonly Header[] = [
  ...pageHeaders({ style: TRACKING_STYLE, script: TRACKING_SCRIPT, sources: SOURCES }),
  ['X-Robots-Tag', 'noindex'],
];

/** The page of a link. Its stream tells what has changed since it was made. */
export function trackingPage(link: Link, tasks: readonly PageTask[], token: string): string {
  const { organizationName, own } = link;
  const [only] = tasks.length === 1 ? tasks : [];
  const title = `${headlineOf((only ?? own).shown)} · ${organizationName}`;
  const main = html`${!only && html`<h1 dir="auto">${own.shown.name}</h1>`}${tasks.map((task) => article(task, token, Boolean(only)))}
<p id="again"><a href="/t/${token}">Look again</a> for what is new.</p>`;
  const events = `/t/${token}/events?seen=${digestOfAll(changingParts(tasks, token))}`;
  return pageOf({ title, organizationName, main, events });
}

/** A page without a task: that a link shows nothing, or what is wrong. */
export function plainPage(title: string, text: string, back?: string): string {
  const main = html`<article><h1>${title}</h1><p>${text}</p>${back !== undefined && html`<p><a href="${back}">Back</a></p>`}</article>`;
  return pageOf({ title, main });
}

/** The changing parts of the page, by the ids of the elements that hold them, as HTML. */
export function changingParts(tasks: readonly PageTask[], token: string): ReadonlyMap<string, string> {
  const parts = tasks.flatMap((task) => Object.entries(partsOf(task, token)));
  return new Map(parts.map(([id, part]) => [id, part.toString()]));
}

/** The same for the same parts: whether a page is still as it was made. */
export function digestOfAll(parts: ReadonlyMap<string, string>): string {
  return digestOf(JSON.stringify([...parts]));
}

export function digestOf(part: string): string {
  return hash('sha256', part, 'base64url').slice(0, 22);
}

interface Page {
  readonly title: string;
  readonly organizationName?: string;
  readonly main: Html;
  readonly events?: string;
}

function pageOf({ title, organizationName, main, events }: Page): string {
  const script = events !== undefined && html`<script>${trusted(TRACKING_SCRIPT)}</script>`;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style>${trusted(TRACKING_STYLE)}</style></head>
<body${events !== undefined && html` data-events="${events}"`}>${
    organizationName !== undefined && html`<header><p><bdi>${organizationName}</bdi></p></header>`
  }
<main>${main}</main>${script}</body></html>`;
  return page.toString();
}

function article(task: PageTask, token: string, isAlone: boolean): Html {
  const { id, name, code, window, destination, packageCount, pin } = task.shown;
  const parts = partsOf(task, token);
  const part = (kind: string) => parts[`${kind}-${id}`]!;
  return html`<article aria-labelledby="name-${id}">
${isAlone ? html`<h1 class="name" id="name-${id}"><bdi>${name}</bdi></h1>` : html`<p class="name" id="name-${id}"><bdi>${name}</bdi></p>`}
<div class="status" id="status-${id}" role="status" aria-live="polite">${part('status')}</div>
<div class="map" id="map-${id}">${part('map')}</div>
<section id="steps-${id}">${part('steps')}</section>
<section><h3>Details</h3><dl>
<dt>Order</dt><dd><bdi>${code}</bdi></dd>
${destination && html`<dt>To</dt><dd><bdi>${destination.address}</bdi></dd>`}
${window && html`<dt>Window</dt><dd>${windowText(window)}</dd>`}
${packageCount > 0 && html`<dt>Packages</dt><dd>${packageCount}</dd>`}
${pin !== null && html`<dt>PIN</dt><dd>${pin}, for the courier at the door</dd>`}
</dl></section>
<section id="rating-${id}">${part('rating')}</section>
</article>`;
}

function windowText({ start, end }: { readonly start: string | null; readonly end: string | null }): Html {
  if (start !== null && end !== null) return html`${timeOf(start)} to ${timeOf(end)}`;
  return start === null ? html`until ${timeOf(end!)}` : html`from ${timeOf(start)}`;
}
