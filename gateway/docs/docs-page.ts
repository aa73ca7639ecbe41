import { type Html, html } from '../../engine/views/parts/html.ts';

interface DocsPage {
  readonly title: string;
  readonly current?: 'guides' | 'reference';
  readonly body: Html;
  /** The names of files below /docs. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
}

const PLACES = [
  { name: 'Start', href: '/', key: 'start' },
  { name: 'Reference', href: '/docs', key: 'reference' },
  { name: 'Guides', href: '/docs/guides', key: 'guides' },
];

/** A page of the documentation. Its styles and scripts are files of their own, so that it has nothing inline. */
export function docsPage({ title, current, body, styles = ['docs.css'], scripts = [] }: DocsPage): string {
  const links = PLACES.map(({ name, href, key }) =>
    key === current ? html`<a href="${href}" aria-current="page">${name}</a>` : html`<a href="${href}">${name}</a>`,
  );
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title}</title>
${styles.map((name) => html`<link rel="stylesheet" href="/docs/${name}">`)}</head>
<body><header class="places"><nav aria-label="Places">${links}</nav></header>${body}${scripts.map(
    (name) => html`<script src="/docs/${name}"></script>`,
  )}</body></html>
`.toString();
}
