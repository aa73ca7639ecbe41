import type { Summary } from '../report/summarize.ts';
import type { Figure } from './figure.ts';

/** The report as a page that needs nothing else: bars are boxes with a width. */

/** Servers side by side under one load. */
export interface Chart {
  readonly title: string;
  readonly summaries: readonly Summary[];
}

export interface Report {
  readonly date: string;
  readonly machine: string;
  readonly figures: readonly (Figure & { readonly accepted: string | null })[];
  readonly charts: readonly Chart[];
  /** Scenarios that failed or were void. */
  readonly problems: readonly string[];
  /** Rounds that other processes disturbed: they count, but the reader of the figures must know. */
  readonly disturbances: readonly string[];
}

const STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733; background: #fff; }
  table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; } th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #dde3ea; vertical-align: top; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .met { color: #14683a; } .missed { color: #a3261b; } .bar { display: flex; height: 1rem; min-width: 14rem; }
  .server { background: #2a6fdb; } .postgres { background: #e08a1e; } .generator { background: #b8c2cc; } .rate { background: #3f9d62; }
  .key span { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 1rem; }
  @media (prefers-color-scheme: dark) { body { background: #14191f; color: #dfe6ee; } th, td { border-color: #313a45; } .met { color: #5fce8d; } .missed { color: #ff8a7d; } }`;

export function reportPage({ date, machine, figures, charts, problems, disturbances }: Report): string {
  const rows = figures.map(
    ({ scenario, claim, measured, met, accepted }) =>
      `<tr><td>${escapeHtml(scenario)}</td><td>${escapeHtml(claim)}</td><td class="${met ? 'met' : 'missed'}">${met ? 'met' : 'missed'}</td>` +
      `<td>${escapeHtml(measured)}</td><td>${escapeHtml(accepted ?? '–')}</td></tr>`,
  );
  const items = disturbances.map((disturbance) => `<li>${escapeHtml(disturbance)}</li>`);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Measurements</title>',
    `<style>${STYLE}</style></head><body><h1>Measurements of ${escapeHtml(date)}</h1><p>${escapeHtml(machine)}</p>`,
    ...problems.map((problem) => `<p class="missed">${escapeHtml(problem)}</p>`),
    '<h2>Targets</h2><table><tr><th>Scenario</th><th>Target</th><th></th><th>Measured</th><th>Accepted before</th></tr>',
    ...rows,
    '</table>',
    ...(disturbances.length === 0 ? [] : ['<h2>Disturbed rounds</h2><ul>', ...items, '</ul>']),
    '<p class="key">CPU of <span class="server"></span>the server<span class="postgres"></span>Postgres<span class="generator"></span>the generator</p>',
    ...charts.map(chartHtml),
    '</body></html>\n',
  ].join('\n');
}

function chartHtml({ title, summaries }: Chart): string {
  const most = Math.max(...summaries.map(cpuOf));
  const fastest = Math.max(...summaries.map(({ tasksPerSecond }) => tasksPerSecond.median));
  const rows = summaries.map((summary) => {
    const { contestant, connections, tasksPerSecond, p50Ms, p99Ms, serverMicros, postgresMicros, generatorMicros } =
      summary;
    const part = (name: string, micros: number) =>
      `<div class="${name}" style="width:${((micros * 100) / most).toFixed(2)}%" title="${micros.toFixed(0)} µs"></div>`;
    const cpu = [
      part('server', serverMicros.median),
      part('postgres', postgresMicros.median),
      part('generator', generatorMicros.median),
    ];
    const rate = `<div class="rate" style="width:${((tasksPerSecond.median * 100) / fastest).toFixed(2)}%"></div>`;
    return (
      `<tr><td>${escapeHtml(contestant)}, ${connections} connections</td><td class="number">${tasksPerSecond.median.toFixed(0)}/s</td>` +
      `<td><div class="bar">${rate}</div></td><td class="number">${p50Ms.median.toFixed(1)} / ${p99Ms.median.toFixed(1)} ms</td>` +
      `<td class="number">${cpuOf(summary).toFixed(0)} µs</td><td><div class="bar">${cpu.join('')}</div></td></tr>`
    );
  });
  return (
    `<h2>${escapeHtml(title)}</h2><table><tr><th>Server</th><th colspan="2">Operations a second</th><th>p50 / p99</th>` +
    `<th colspan="2">CPU per operation</th></tr>${rows.join('\n')}</table>`
  );
}

function cpuOf({ serverMicros, postgresMicros, generatorMicros }: Summary): number {
  return serverMicros.median + postgresMicros.median + generatorMicros.median;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
