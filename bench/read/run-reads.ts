import { writeFileSync } from 'node:fs';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { openStand, type Stand } from '../compare/open-stand.ts';
import { teachBare } from '../compare/teach-bare.ts';
import { HttpPool } from '../load/http-pool.ts';
import { measureRun, type RunResult } from '../measure/measure-run.ts';
import {
  conditionLines,
  disturbanceLines,
  runLine,
  shareLines,
  summaryTable,
  verdictLines,
} from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { summarize, type Verdict } from '../report/summarize.ts';
import {
  ID_BEFORE_FIRST,
  readAll,
  readHot,
  readInMemory,
  TASKS_IN_ALL,
  TASKS_IN_MEMORY,
} from '../scenarios/read-task.ts';
import type { Load } from '../scenarios/scenario.ts';
import { type SeededTasks, seedTasks } from '../seed/seed-tasks.ts';
import { type Contestant, READERS, startContestants } from '../stand/contestants.ts';
import { parseReadOptions, type ReadOptions } from './read-options.ts';

/** Tasks that are read, and the target of their reads. Source: the project's performance goals. */
interface Kind {
  readonly load: Load;
  readonly words: string;
  /** The id of the first of the tasks. */
  readonly firstOf: (seeded: SeededTasks) => number;
  readonly bareShare?: number;
}

const newest = (tasks: number) => (seeded: SeededTasks) => seeded.firstTaskId + seeded.tasks - tasks;
const KINDS: readonly Kind[] = [
  { load: readHot, words: 'one task', firstOf: newest(1), bareShare: 0.6 },
  { load: readInMemory, words: 'tasks in memory', firstOf: newest(TASKS_IN_MEMORY), bareShare: 0.5 },
  { load: readAll, words: 'all tasks', firstOf: newest(TASKS_IN_ALL) },
];
const PEER_RATIO = 5;
const LEAST_ROUNDS = 3;
const SEED_STATEMENT_MS = 600_000;
const READERS_BEFORE = 16;
/** The gateway keeps a task that has ended once it was read again; Postgres keeps what was read. */
const READS_BEFORE = { ours: 2, peer: 1 };

/**
 * `npm run bench -- read`: reads of single tasks, ours beside a bare server and an ordinary service, in turn. Prints its
 * measurements; resolves to 1 when they do not count.
 */
export async function runReads(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const options = parseReadOptions(args);
  say(`starting Postgres, Redis and ${READERS.length} servers over ${TASKS_IN_ALL} tasks`);
  const stand = await openStand(releaser, signal);
  const seeded = await seed(stand.stores.templateUrl);
  say(...conditionLines(stand.conditions), ...READERS.map(({ name, description }) => `${name}: ${description}`), '');
  const contestants = await startContestants(READERS, stand.stores, releaser, signal);
  await teachBare(contestants, seeded.apiKey, { method: 'GET', path: pathOf(newest(1)(seeded)) });
  for (const name of ['ours', 'peer'] as const)
    await readEach(contestants.find((each) => each.name === name)!, READS_BEFORE[name], seeded);

  const results = await measure(contestants, options, stand, seeded);
  const voidReasons = findVoidReasons(results, options);
  const verdicts = KINDS.flatMap((kind) => tell(kind, results.get(kind)!));
  say('', ...verdictLines(verdicts), ...disturbanceLines([...results.values()].flat()));
  if (voidReasons.length > 0)
    say('', 'VOID, these numbers prove nothing:', ...voidReasons.map((reason) => `  ${reason}`));
  if (options.jsonFile !== undefined) {
    const told = {
      conditions: stand.conditions,
      options,
      verdicts,
      voidReasons,
      results: [...results.values()].flat(),
      charts: [...results].map(([{ words }, runs]) => ({ title: `reads of ${words}`, summaries: summarize(runs) })),
    };
    writeFileSync(options.jsonFile, `${JSON.stringify(told, undefined, 2)}\n`);
  }
  return voidReasons.length > 0 ? 1 : 0;
}

async function seed(templateUrl: string): Promise<SeededTasks> {
  const sql = connectPostgres(templateUrl, { name: 'seed', connections: 1, statementTimeoutMs: SEED_STATEMENT_MS });
  try {
    await sql`SELECT setval('task_ids', ${ID_BEFORE_FIRST})`;
    return await seedTasks(sql, TASKS_IN_ALL, () => {});
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function pathOf(taskId: number): string {
  return `/api/v1/tasks/${taskId}`;
}

/** Brings the tasks in memory there: into the gateway's, or for the peer into the caches of Postgres. */
async function readEach({ baseUrl }: Contestant, times: number, seeded: SeededTasks) {
  const { apiKey, firstTaskId, tasks } = seeded;
  const pool = new HttpPool(new URL(baseUrl), READERS_BEFORE);
  let next = newest(TASKS_IN_MEMORY)(seeded);
  const reader = async () => {
    while (next < firstTaskId + tasks) {
      const request = { method: 'GET', path: pathOf(next++), headers: { 'x-api-key': apiKey } } as const;
      for (let time = 0; time < times; time++) {
        const { status } = await pool.ask(request);
        if (status !== 200) throw new Error(`a seeded task answered ${status}`);
      }
    }
  };
  await Promise.all(Array.from({ length: READERS_BEFORE }, reader));
  pool.close();
}

async function measure(
  contestants: readonly Contestant[],
  options: ReadOptions,
  { stores, probe, signal }: Stand,
  seeded: SeededTasks,
): Promise<ReadonlyMap<Kind, RunResult[]>> {
  const bench = { probe, postmasterPid: stores.postgres.pid, apiKey: seeded.apiKey, signal };
  const { connections, warmUpSeconds, seconds } = options;
  const results = new Map<Kind, RunResult[]>(KINDS.map((kind) => [kind, []]));
  // One kind after the other: the tasks of one would push those of another out of memory.
  for (const kind of KINDS) {
    for (let round = 1; round <= options.rounds; round++) {
      for (const turn of contestants.keys()) {
        const contestant = contestants[(turn + round) % contestants.length]!;
        const plan = { load: kind.load, contestant, connections, round, warmUpSeconds, seconds };
        const result = await measureRun({ ...plan, seed: kind.firstOf(seeded) }, bench);
        say(`${kind.words.padEnd(15)}  ${runLine(result)}`);
        if (result.voidReasons.length > 0) say(`${contestant.name} printed last:`, contestant.lastLines());
        results.get(kind)!.push(result);
      }
    }
  }
  return results;
}

function findVoidReasons(results: ReadonlyMap<Kind, RunResult[]>, { rounds }: ReadOptions): string[] {
  const reasons = [...results].flatMap(([{ words }, runs]) =>
    runs.flatMap(({ contestant, round, voidReasons }) =>
      voidReasons.map((reason) => `${contestant}, ${words}, round ${round}: ${reason}`),
    ),
  );
  if (rounds < LEAST_ROUNDS) reasons.push(`${rounds} rounds, at least ${LEAST_ROUNDS} are needed`);
  return reasons;
}

/** Prints one kind and returns its verdicts. */
function tell({ words, bareShare }: Kind, results: readonly RunResult[]): Verdict[] {
  const summaries = summarize(results);
  const of = (name: string) => summaries.find(({ contestant }) => contestant === name)!;
  const [ours, bare, peer] = [of('ours'), of('bare'), of('peer')];
  const share = ours.tasksPerSecond.median / bare.tasksPerSecond.median;
  const ratio = ours.tasksPerSecond.median / peer.tasksPerSecond.median;
  say('', `Reads of ${words}: medians over the rounds (lowest–highest); a task is one that was read`);
  say(summaryTable(summaries), ...shareLines(summaries));
  const cpu = bare.serverMicros.median / ours.serverMicros.median;
  say(
    `ours / bare ${share.toFixed(3)}   CPU of the server, bare / ours ${cpu.toFixed(3)}   ours / peer ${ratio.toFixed(2)}`,
  );
  if (bareShare === undefined) return [];
  return [
    {
      claim: `reads of ${words}, at least ${bareShare * 100} % of the bare server's throughput`,
      measured: `${(share * 100).toFixed(1)} %`,
      met: share >= bareShare,
    },
    {
      claim: `reads of ${words}, at least ${PEER_RATIO} times the throughput of the peer`,
      measured: `${ratio.toFixed(2)} times`,
      met: ratio >= PEER_RATIO,
    },
  ];
}
