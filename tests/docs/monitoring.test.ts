import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { metricsPortOf, startWorkersProcess } from '../integration/workers/workers-place.ts';
import { familiesOf, readMetrics, runPromtool, WITH_PROMTOOL } from '../support/metrics.ts';
import { createTestPlace, startTestGateway } from '../support/system/gateway.ts';
import { until } from '../support/until.ts';
import { readPage } from './pages.ts';

/** The metrics of real processes, against docs/operating/monitoring.md, its dashboard and its alert rules. */

const FOLDER = 'docs/operating/monitoring';
const RULES = `${FOLDER}/alerts.yml`;
const RULES_TEST = `${FOLDER}/alerts.test.yml`;
const page = readPage('docs/operating/monitoring.md');
const rules = readPage(RULES);

let gateway = '';
let workers = '';

before(async () => {
  const place = await createTestPlace();
  const stores = { DATABASE_URL: place.databaseUrl, REDIS_URL: place.redisUrl, REDIS_PREFIX: place.redisPrefix };
  const started = await startTestGateway({ place });
  const process = await startWorkersProcess(stores);
  await fetch(`${started.baseUrl}/healthz`);
  gateway = await readMetrics(`${started.baseUrl}/metrics`);
  await until('the workers have looked at what waits', async () => {
    workers = await readMetrics(`http://127.0.0.1:${metricsPortOf(process)}/metrics`);
    return workers.includes('\ndispatch_webhook_oldest_seconds ');
  });
  assert.equal(await process.stop(), 0);
  await started.stop();
  await place.drop();
});

test('promtool finds nothing to say against the metrics of a gateway and of workers', WITH_PROMTOOL, async () => {
  for (const text of [gateway, workers])
    assert.deepEqual(await runPromtool(['check', 'metrics'], text), { code: 0, text: '' });
  const misnamed = gateway.replaceAll('dispatch_commits_total', 'dispatch_commits');
  assert.notEqual((await runPromtool(['check', 'metrics'], misnamed)).code, 0);
});

test('the page has every metric of both processes with its type, and no other', () => {
  for (const [title, text] of [
    ['Metrics of a gateway', gateway],
    ['Metrics of the workers', workers],
  ] as const) {
    const section = page.split(`## ${title}\n`)[1]!.split('\n## ')[0]!;
    const described = Array.from(section.matchAll(/^\| `(dispatch_\w+)` \| (\w+) \|/gm), ([, name, type]) => [
      name,
      type,
    ]);
    assert.deepEqual(described.sort(), [...familiesOf(text)].sort(), title);
  }
});

/** A name in an expression, with the selectors behind it. */
const SELECTOR = /\b((?:dispatch|process|nodejs)_\w+)(?:\{([^}]*)\})?/g;
const LABEL = /(\w+)(=~|!=|!~|=)"([^"]*)"/g;
/** The labels of series that begin with the first request, and those that a Prometheus adds. */
const OPEN_LABELS: ReadonlySet<string> = new Set(['route', 'status', 'method', 'job', 'instance']);

/** The parts of an expression that no process serves. */
function unknownIn(expression: string): string[] {
  const lines = `${gateway}\n${workers}`.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return [...expression.matchAll(SELECTOR)].flatMap(([all, name, selectors = '']) => {
    const series = lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    if (series.length === 0) return [all];
    const wanted = [...selectors.matchAll(LABEL)].filter(([, label]) => !OPEN_LABELS.has(label!));
    const has = (label: string, value: string) => series.some((line) => line.includes(`${label}="${value}"`));
    return wanted
      .filter(([, label, operator, value]) =>
        operator === '=~' && value!.includes('*')
          ? !series.some((line) => new RegExp(`${label}="${value}"`).test(line))
          : !value!.split('|').every((each) => has(label!, each)),
      )
      .map(([matcher]) => `${name}{${matcher}}`);
  });
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}
const dashboard = JSON.parse(readFileSync(`${FOLDER}/dashboard.json`, 'utf8')) as Dashboard;
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

test('the dashboard and the alert rules ask for metrics and labels that exist', () => {
  assert.deepEqual(unknownIn('dispatch_nothing{result="x"} + dispatch_rounds_total{result="undone"}'), [
    'dispatch_nothing{result="x"}',
    'dispatch_rounds_total{result="undone"}',
  ]);
  assert.ok(expressions.length > 30);
  assert.deepEqual([...expressions, rules].flatMap(unknownIn), []);
});

test('the dashboard shows every kind of metric that the page names', () => {
  const shown = expressions.join('\n');
  const unseen = [...familiesOf(gateway), ...familiesOf(workers)]
    .map(([name]) => name)
    .filter((name) => !shown.includes(name));
  // Told by others: a count of what a rate shows, or of interest to an alert alone.
  assert.deepEqual([...new Set(unseen)].sort(), [
    'dispatch_backlog_sampled_timestamp_seconds',
    'dispatch_notices_under_way',
    'dispatch_positions_organizations',
    'dispatch_push_tokens_gone_total',
    'dispatch_relay_lag_events',
    'dispatch_trail_points_buffered',
    'dispatch_trips_total',
    'dispatch_webhook_endpoints_served',
  ]);
});

test('each alert has a remedy on the page, and figures at which it fires and stays quiet', WITH_PROMTOOL, async () => {
  const alerts = Array.from(rules.matchAll(/- alert: (\w+)/g), ([, name]) => name!);
  const remedies = Array.from(page.matchAll(/^\| `(Dispatch\w+)` \|/gm), ([, name]) => name);
  assert.deepEqual(remedies, alerts);
  const cases = readPage(RULES_TEST);
  for (const name of alerts)
    for (const kind of ['fires', 'stays quiet']) assert.ok(cases.includes(`- name: ${name} ${kind}\n`), name);
  const checked = await runPromtool(['test', 'rules', RULES_TEST]);
  assert.equal(checked.code, 0, checked.text);
});

test('Prometheus can read every expression of the dashboard', WITH_PROMTOOL, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dispatch-dashboard-'));
  try {
    const file = join(folder, 'expressions.json');
    const read = expressions.map((expr, index) => ({
      record: `expression:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    // JSON is YAML too.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: read }] }));
    const { code, text } = await runPromtool(['check', 'rules', file]);
    assert.equal(code, 0, text);
    assert.match(text, new RegExp(`${expressions.length} rules found`));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
