/** The style of what only the tracking page has. */
export const TRACKING_STYLE = `
h1+article{margin-top:var(--space-3)}
.stopped h2{color:var(--danger)}
.status p{margin:var(--space-1) 0 0}
.name{color:var(--soft);margin:0 0 var(--space-2);font-size:1rem;font-weight:400}
time{white-space:nowrap}
.map{margin:var(--space-4) 0 0}
figure{margin:0}
svg{display:block;width:100%;height:auto}
figcaption{color:var(--soft);font-size:var(--type-small);margin-top:var(--space-1)}
.ground{fill:var(--ground)}.grid{fill:none;stroke:var(--line);stroke-width:.7}
.way{fill:none;stroke:var(--soft);stroke-width:2;stroke-dasharray:4 5}
.goal circle{fill:var(--text)}.goal path{fill:none;stroke:var(--card);stroke-width:2}
.agent circle{fill:var(--accent)}.agent circle:first-child{opacity:.25}
.scale{fill:none;stroke:var(--soft);stroke-width:1.2}svg text{fill:var(--soft);font-size:11px}
ol{list-style:none;margin:0;padding:0}
ol li{display:flex;flex-wrap:wrap;column-gap:var(--space-3);position:relative;padding-block:.2rem .7rem;padding-inline:2rem 0;color:var(--soft)}
ol li::before{content:"";position:absolute;inset-inline-start:.3rem;top:.5rem;width:.85rem;height:.85rem;border:2px solid var(--line);border-radius:50%;background:var(--card);z-index:1}
ol li:not(:last-child)::after{content:"";position:absolute;inset-inline-start:.65rem;top:.9rem;bottom:-.5rem;border-inline-start:2px solid var(--line)}
ol .done{color:var(--text)}ol .done::before{background:var(--accent);border-color:var(--accent)}
ol .now{font-weight:600}
ol.stopped .now::before{background:var(--danger);border-color:var(--danger)}
ol time{color:var(--soft);font-weight:400}
.scores{display:flex;gap:var(--space-2);margin:var(--space-2) 0 var(--space-3)}
.scores label{position:relative;flex:1 1 0}
.scores label>span{display:flex;align-items:center;justify-content:center;min-height:var(--target);border:1px solid var(--soft);border-radius:var(--radius-field)}
.scores input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
.scores :checked+span{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.scores :focus-visible+span{outline:3px solid var(--text);outline-offset:2px}
.foot{color:var(--soft);font-size:var(--type-small);margin:0}
@media print{#again{display:none}}
`;
