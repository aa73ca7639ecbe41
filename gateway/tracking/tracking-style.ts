/** Of the page that customers follow their tasks on. Colours keep a contrast of 4.5 and more, light and dark. */
export const TRACKING_STYLE = `
:root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--text:#16191d;--soft:#565d66;--line:#d8dce1;--done:#0a6b4c;--stop:#a3262a;--on:#fff}
@media(prefers-color-scheme:dark){:root{--ground:#101317;--card:#1a1e24;--text:#eef0f3;--soft:#a7afb9;--line:#353c45;--done:#5fd3a8;--stop:#ff9a94;--on:#10221b}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:17px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:34rem;margin:0 auto;padding:1rem}
header,h1,article{overflow:hidden}
header{padding-bottom:0;color:var(--soft)}
header p,h1,h2,h3{margin:0}
h1{font-size:1.15rem}main>h1{margin-bottom:.75rem}
footer{color:var(--soft);font-size:.85rem}
article{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;margin-bottom:1rem}
h2{font-size:1.6rem;line-height:1.25;color:var(--done)}
h3{font-size:1rem;margin:1.25rem 0 .35rem}
.stopped h2{color:var(--stop)}
.status p{margin:.25rem 0 0}
.name{color:var(--soft);margin:0 0 .5rem;font-size:1rem;font-weight:400}time{white-space:nowrap}
.map{margin:1rem 0 0}
figure{margin:0}
svg{display:block;width:100%;height:auto}
figcaption{color:var(--soft);font-size:.9rem;margin-top:.35rem}
.ground{fill:var(--ground)}.grid{fill:none;stroke:var(--line);stroke-width:.7}
.way{fill:none;stroke:var(--soft);stroke-width:2;stroke-dasharray:4 5}
.goal circle{fill:var(--text)}.goal path{fill:none;stroke:var(--card);stroke-width:2}
.agent circle{fill:var(--done)}.agent circle:first-child{opacity:.25}
.scale{fill:none;stroke:var(--soft);stroke-width:1.2}svg text{fill:var(--soft);font:11px system-ui,sans-serif}
ol{list-style:none;margin:0;padding:0}
ol li{display:flex;flex-wrap:wrap;column-gap:.75rem;position:relative;padding:.2rem 0 .7rem 2rem;color:var(--soft)}
ol li::before{content:"";position:absolute;left:.3rem;top:.5rem;width:.85rem;height:.85rem;border:2px solid var(--line);border-radius:50%;background:var(--card);z-index:1}
ol li:not(:last-child)::after{content:"";position:absolute;left:.65rem;top:.9rem;bottom:-.5rem;border-left:2px solid var(--line)}
ol .done{color:var(--text)}ol .done::before{background:var(--done);border-color:var(--done)}
ol .now{font-weight:600}
ol.stopped .now::before{background:var(--stop);border-color:var(--stop)}
ol time{color:var(--soft);font-weight:400}
dl{margin:0;display:grid;grid-template-columns:auto minmax(0,1fr);gap:.35rem 1rem}dt{color:var(--soft)}dd{margin:0}
form{margin-top:1.25rem}fieldset{border:0;padding:0;margin:0}legend{padding:0;font-weight:600}
.scores{display:flex;gap:.4rem;margin:.5rem 0 .75rem}
.scores label{position:relative;flex:1 1 0}
.scores label>span{display:flex;align-items:center;justify-content:center;min-height:2.75rem;border:1px solid var(--soft);border-radius:.5rem}
.scores input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
.scores :checked+span{background:var(--done);border-color:var(--done);color:var(--on)}
.scores :focus-visible+span,textarea:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid var(--text);outline-offset:2px}
textarea{display:block;width:100%;min-height:5rem;margin:.25rem 0 .75rem;padding:.5rem;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:.5rem}
button{font:inherit;font-weight:600;min-height:2.75rem;padding:.4rem 1.4rem;border:0;border-radius:.5rem;background:var(--done);color:var(--on);cursor:pointer}
a{color:inherit}
.problem{color:var(--stop)}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media print{form,#again{display:none}}
`;
