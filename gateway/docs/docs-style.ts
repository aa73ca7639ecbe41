import { FONTS, TOKEN_SHEET } from '../../engine/views/parts/design-tokens.ts';
import { PAGE_STYLE } from '../pages/page-style.ts';

const PLACES_STYLE = `
header.places{max-width:none;padding:0 var(--space-4);background:var(--card);border-bottom:1px solid var(--line)}
.places nav{display:flex;gap:var(--space-5);max-width:88rem;margin:0 auto}
.places a{display:flex;align-items:center;min-height:var(--target);color:var(--text);text-decoration:none}
.places a[aria-current]{color:var(--accent);font-weight:600;box-shadow:inset 0 -3px var(--accent)}
`;

/** The style of the guides and of the page at the root. */
export const DOCS_STYLE = `${PAGE_STYLE}${PLACES_STYLE}
main.guide{max-width:52rem;padding-block:var(--space-6)}
.guide h1{font-size:var(--type-title);margin-bottom:var(--space-4)}
.guide h2{font-size:var(--type-name);margin:var(--space-6) 0 var(--space-3)}
.guide p,.guide ul,.guide ol,.guide pre,.guide .wide{margin:0 0 var(--space-4)}
.guide li{margin-block:var(--space-1)}
.guide a{color:var(--accent)}
.guide pre{background:var(--card);border:1px solid var(--line);border-radius:var(--radius-field);padding:var(--space-3);overflow-x:auto;font-size:var(--type-small);overflow-wrap:normal}
.guide code{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.9em}
.guide .wide{overflow-x:auto}
.guide table{border-collapse:collapse;font-size:var(--type-small);overflow-wrap:normal}
.guide th,.guide td{text-align:start;vertical-align:top;padding:var(--space-2) var(--space-3);border-bottom:1px solid var(--line)}
.guide td:nth-child(n+3){min-width:12rem}
.ways{list-style:none;padding:0}
.ways a{display:block;font-weight:600}
.guide .ways li{padding:var(--space-3) 0;border-bottom:1px solid var(--line)}
`;

/** A white text on each of them has a contrast of at least 4.5. */
const METHODS = { get: '#1b66b5', post: '#0a6b4c', put: '#8a5200', patch: '#0b6a60', delete: '#b3261e' };

/** The style of the reference: Swagger UI in our colours, each with enough contrast. */
export const REFERENCE_STYLE = `${TOKEN_SHEET}
body{margin:0;background:var(--ground);font:var(--type-body)/1.5 ${FONTS}}
${PLACES_STYLE}
.swagger-ui .wrapper{max-width:88rem;padding:0 var(--space-4)}
.swagger-ui .info{margin:var(--space-6) 0 var(--space-4)}
.swagger-ui .scheme-container{background:none;box-shadow:none;padding:0;margin:0 0 var(--space-4)}
.swagger-ui .info .title small{background:#4a5361}
.swagger-ui .info .title small.version-stamp{background:#3b6000}
.swagger-ui .info a,.swagger-ui .info .url,.swagger-ui a.nostyle{color:var(--accent)}
.swagger-ui .btn.authorize,.swagger-ui .btn.authorize span{color:var(--accent);border-color:var(--accent)}
.swagger-ui .btn.authorize svg{fill:var(--accent)}
.swagger-ui .btn.execute{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.swagger-ui .btn.cancel,.swagger-ui .parameter__name.required::after,.swagger-ui .parameter__name.required span{color:var(--danger);border-color:var(--danger)}
${Object.entries(METHODS)
  .map(
    ([method, colour]) =>
      `.swagger-ui .opblock.opblock-${method} .opblock-summary-method{background:${colour};color:#fff}`,
  )
  .join('\n')}
.swagger-ui .opblock .opblock-summary-description,.swagger-ui .parameter__in,.swagger-ui .parameter__type,.swagger-ui .prop-format,.swagger-ui .response-col_links,.swagger-ui .header-col,.swagger-ui .json-schema-2020-12__title,.swagger-ui .response-control-media-type__accept-message,.swagger-ui .parameter__extension,.swagger-ui .opblock-tag small,.swagger-ui td,.swagger-ui label{color:var(--text)}
.swagger-ui .response-control-media-type--accept-controller select{border-color:var(--accent)}
.swagger-ui .microlight span{color:#fff!important}
.swagger-ui .download-contents{background:#4a5361}
.swagger-ui table.headers .header-col,.swagger-ui .renderedMarkdown code{color:var(--text)!important}
.swagger-ui .opblock-body{overflow-x:auto}
.swagger-ui .parameters-col_name{overflow-wrap:anywhere}
@media (max-width:640px){
.swagger-ui .opblock-tag{flex-wrap:wrap}
.swagger-ui .opblock-tag small{order:1;flex-basis:100%;padding:0}
.swagger-ui .opblock .opblock-summary-description{display:none}
}
`;
