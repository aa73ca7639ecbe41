import { html } from '../../engine/views/parts/html.ts';
import { API_VERSION } from '../../schema/version.ts';
import { docsPage } from './docs-page.ts';

/** The page at the root: what answers here, and where to go on. */
export const HOME_PAGE = docsPage({
  title: 'Last-mile dispatch',
  body: html`<main class="guide">
<h1>Last-mile dispatch</h1>
<p>A real-time dispatch engine for last-mile delivery, version ${API_VERSION}. Integrators push tasks, the engine finds an agent for each, and consoles watch every change live.</p>
<ul class="ways">
<li><a href="/console">Console</a> The tasks, agents and map of an organization</li>
<li><a href="/docs">Reference</a> Every call, with a form to try it</li>
<li><a href="/docs/guides">Guides</a> First steps, webhooks, streams, errors, operating</li>
<li><a href="/openapi.json">OpenAPI</a> The calls and webhooks, for generators of clients</li>
<li><a href="/asyncapi.json">AsyncAPI</a> The streams and webhooks, message by message</li>
<li><a href="/readyz">Health</a> Whether this gateway is ready</li>
</ul>
</main>`,
});
