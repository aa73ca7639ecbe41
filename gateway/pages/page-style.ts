import { FONTS, TOKEN_SHEET } from '../../engine/views/parts/design-tokens.ts';
import { DIRECTED_TEXT_STYLE } from '../../engine/views/parts/directed-text.ts';

/** The style of every page on a screen. A page adds the style of what only it has. Sides are logical: start and end. */
export const PAGE_STYLE = `${TOKEN_SHEET}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:var(--type-body)/1.5 ${FONTS};overflow-wrap:anywhere}
header,main{max-width:var(--measure);margin:0 auto;padding:var(--space-4)}
header,h1,article{overflow:hidden}
header{color:var(--soft);padding-bottom:0}
header p,h1,h2,h3{margin:0}
.contact{display:flex;flex-wrap:wrap;column-gap:var(--space-4)}
.contact a{padding-block:var(--space-1)}
h1{font-size:var(--type-name)}
h2{font-size:var(--type-title);line-height:1.25;color:var(--accent)}
h3{font-size:1rem;margin:var(--space-5) 0 var(--space-2)}
article{background:var(--card);border:1px solid var(--line);border-radius:var(--radius-card);padding:var(--space-4);margin-bottom:var(--space-4)}
article>:last-child{margin-bottom:0}
dl{margin:0;display:grid;grid-template-columns:auto minmax(0,1fr);gap:var(--space-2) var(--space-4)}
dt{color:var(--soft)}
dd{margin:0}
form{margin-top:var(--space-5)}
fieldset{border:0;padding:0;margin:0}
legend{padding:0;font-weight:600}
textarea,.field{display:block;width:100%;margin:var(--space-1) 0 var(--space-3);padding:var(--space-2);font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:var(--radius-field)}
textarea{min-height:5rem}
.field{min-height:var(--target)}
.field[aria-invalid]{border-color:var(--danger)}
form>label{font-weight:600}
.rule{color:var(--soft);font-size:var(--type-small);margin:0 0 var(--space-4)}
.problem{color:var(--danger);margin:0 0 var(--space-3)}
button,.button{display:inline-block;font:inherit;font-weight:600;line-height:1.5;min-height:var(--target);padding:var(--space-2) var(--space-6);border:1px solid var(--accent);border-radius:var(--radius-field);background:var(--accent);color:var(--on-accent);text-decoration:none;cursor:pointer}
.second{background:none;border-color:var(--soft);color:var(--text)}
.buttons{display:flex;flex-wrap:wrap;gap:var(--space-2)}
textarea:focus-visible,.field:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid var(--text);outline-offset:2px}
a{color:inherit}
.note h1{font-size:var(--type-title);line-height:1.25}
${DIRECTED_TEXT_STYLE}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media print{form{display:none}}
`;
