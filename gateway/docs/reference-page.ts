import { html } from '../../engine/views/parts/html.ts';
import { docsPage } from './docs-page.ts';

/** The reference of the API. Swagger UI renders it in the browser from /docs/openapi.json. */
export const REFERENCE_PAGE = docsPage({
  title: 'API reference',
  current: 'reference',
  body: html`<div id="reference"></div>`,
  styles: ['swagger-ui.css', 'reference.css'],
  scripts: ['swagger-ui-bundle.js', 'reference.js'],
});

/**
 * Starts Swagger UI. Requests go to this origin alone, with the key that the reader types in, which is not kept. The
 * plugin leaves out the choice of a server, of which there is one, and a link inside the button of an operation, and adds
 * a field for large integers. The observer gives names to fields that have none, and makes what scrolls reachable by keys.
 */
export const REFERENCE_SCRIPT = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const show = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', show);
show();
const place = document.getElementById('reference');
new MutationObserver(() => {
  for (const field of place.querySelectorAll('select:not([aria-label]),textarea:not([aria-label])')) {
    const row = field.closest('[data-param-name]');
    field.setAttribute('aria-label', row ? row.dataset.paramName : 'Media type or example');
  }
  for (const text of place.querySelectorAll('pre:not([tabindex])')) text.tabIndex = 0;
}).observe(place, { childList: true, subtree: true });
SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  queryConfigEnabled: false,
  validatorUrl: null,
  plugins: [({ React, getComponent }) => ({
    components: {
      ServersContainer: () => null,
      DeepLink: ({ text }) => React.createElement('span', null, text),
      JsonSchema_integer_int64: (props) => React.createElement(getComponent('JsonSchema_string'), props),
    },
  })],
});
`;
