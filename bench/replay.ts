import type { Releaser } from '../engine/runtime/lifecycle.ts';
import { ApiClient, type ApiTarget } from './replay/api-client.ts';
import { orderTask } from './replay/order-task.ts';
import { type Placement, placeOrders } from './replay/place-orders.ts';
import { type Finding, readBack } from './replay/read-back.ts';
import { type Day, readDay } from './replay/read-day.ts';
import { parseReplayOptions } from './replay/replay-options.ts';
import { runToEnd } from './stand/run-to-end.ts';
import { GATEWAY, startServer } from './stand/server-process.ts';
import { startTemporaryStores } from './stand/temporary-stores.ts';

/**
 * `npm run replay -- <folder…>`: places the real orders of a day over HTTP, in their order and faster than they were,
 * reads everything back and says what it found. Exits 1 when an order is missing, doubled or different.
 */

const DAY_MS = 86_400_000;
const SHOWN_PROBLEMS = 20;

await runToEnd(async (releaser, signal) => {
  const { folders, target, speed } = parseReplayOptions(process.argv.slice(2));
  // Everything is read before anything is started: a malformed line fails at once.
  const days = folders.map(readDay);
  const api = new ApiClient(target ?? (await startInstance(releaser, signal)), signal);
  const runId = Date.now().toString(36);
  const dayStartMs = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
  let [number, problems] = [0, 0];
  for (const day of days) {
    const wanted = day.orders.map((order) =>
      orderTask(order, { runId, dayName: day.name, dayStartMs, number: ++number }),
    );
    const sequenceBefore = await api.lastSequence();
    const placement = await placeOrders(api, wanted, speed, signal);
    const findings = await readBack(api, placement.placed, sequenceBefore);
    for (const line of reportOf(day, speed, placement, findings)) console.log(line);
    problems += findings.reduce((sum, finding) => sum + finding.problems.length, 0);
  }
  return problems === 0 ? 0 : 1;
});

async function startInstance(releaser: Releaser, signal: AbortSignal): Promise<ApiTarget> {
  console.log('starting a temporary instance');
  const stores = await startTemporaryStores(releaser, signal);
  const plan = { name: 'replay', program: GATEWAY, readyPath: '/readyz' };
  const { baseUrl } = await startServer(plan, stores, releaser, signal);
  return { baseUrl, apiKey: stores.demo.apiKey };
}

function reportOf(day: Day, speed: number, placement: Placement, findings: readonly Finding[]): string[] {
  const { placed, seconds, medianMs, slowestMs, latestMs, retries } = placement;
  const count = placed.length;
  const restaurants = new Set(day.orders.map(({ restaurant }) => restaurant.id)).size;
  const problems = findings.flatMap(({ source, problems: told }) => told.map((problem) => `${source}: ${problem}`));
  return [
    `${day.name}: ${count} orders from ${restaurants} restaurants, placed in ${seconds.toFixed(1)} s (${speed} times as fast as the day)`,
    `  posted  ${count} answered 201 (median ${medianMs.toFixed(1)} ms, slowest ${slowestMs.toFixed(0)} ms), ${retries} retries, ` +
      `at most ${latestMs.toFixed(0)} ms behind the clock`,
    ...findings.map(
      ({ source, equal, remark }) => `  ${source.padEnd(6)}  ${equal} of ${count} there once and equal; ${remark}`,
    ),
    ...problems.slice(0, SHOWN_PROBLEMS).map((problem) => `  WRONG   ${problem}`),
    problems.length === 0
      ? '  result  every order exactly once, nothing differs'
      : `  result  ${problems.length} problems${problems.length > SHOWN_PROBLEMS ? `, the first ${SHOWN_PROBLEMS} shown` : ''}`,
  ];
}
