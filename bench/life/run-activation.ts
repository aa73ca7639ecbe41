import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { HttpPool } from '../load/http-pool.ts';
import { verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { create } from '../scenarios/create.ts';
import { GATEWAY, startServerOver } from '../stand/server-process.ts';
import { startTemporaryStores } from '../stand/temporary-stores.ts';
import { spreadOf } from '../statistics.ts';
import { parseLifeOptions } from './life-options.ts';
import { openTasks } from './open-tasks.ts';

/** Source: the project's performance goals. */
const MOST_MS = 200;

/** `npm run bench -- activation`: after each restart, the first change of an organization beside the second one. */
export async function runActivation(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const { rounds, tasks } = parseLifeOptions(args);
  const stores = await startTemporaryStores(releaser, signal);
  const database = await stores.makeDatabase('bench_activation');
  const plan = { name: 'activation', program: GATEWAY, readyPath: '/readyz' };
  const first = await startServerOver(database, plan, stores, releaser, signal);
  await openTasks(first.baseUrl, stores.demo.apiKey, tasks);
  await first.stop();

  const times: { readonly first: number; readonly second: number }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const server = await startServerOver(database, plan, stores, releaser, signal);
    const pool = new HttpPool(new URL(server.baseUrl), 1);
    const [one, other] = create.requestsFor({ connection: 0, connections: 1, seed: 1_000 + round });
    const post = async ({ method, path, body }: typeof one & object) => {
      const startedAt = performance.now();
      const answer = await pool.ask({ method, path, headers: { 'x-api-key': stores.demo.apiKey }, body: body! });
      if (answer.status !== create.expectedStatus)
        throw new Error(`a create answered ${answer.status}: ${answer.body}`);
      return performance.now() - startedAt;
    };
    const time = { first: await post(one!), second: await post(other!) };
    say(`round ${round}: the first create in ${time.first.toFixed(0)} ms, the next in ${time.second.toFixed(1)} ms`);
    times.push(time);
    pool.close();
    await server.stop();
  }
  const { median, min, max } = spreadOf(times.map((time) => time.first));
  const verdict = {
    claim: `the first create of an organization with ${tasks} open tasks within ${MOST_MS} ms`,
    measured: `${median.toFixed(0)} ms (${min.toFixed(0)}–${max.toFixed(0)})`,
    met: median <= MOST_MS,
  };
  say('', ...verdictLines([verdict]));
  return 0;
}
