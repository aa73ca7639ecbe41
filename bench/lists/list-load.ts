import type { CpuSeconds, CpuWatch } from '../measure/process-cpu.ts';
import { formatTable } from '../report/table.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';
import type { SeededTasks } from '../seed/seed-tasks.ts';
import { percentile } from '../statistics.ts';
import type { ListClient } from './list-client.ts';
import { LIST_MIX, type ListKind } from './list-mix.ts';

/** The load of `bench lists`: connections that each ask for one list after another. */

export const CONNECTIONS = 8;
const MOST_WARM_UP_SECONDS = 1;

/** Milliseconds of each answer, by the name of its kind. */
type AnswerTimes = ReadonlyMap<string, readonly number[]>;
type Cpu = CpuSeconds<'gateway' | 'postgres'>;

interface AloneLoad {
  readonly name: string;
  readonly isFarPage: boolean;
  readonly times: readonly number[];
  readonly cpu: Cpu;
}

/** All kinds beside each other, each as often as it weighs. */
export function askMix(
  client: ListClient,
  seeded: SeededTasks,
  seconds: number,
  signal: AbortSignal,
): Promise<AnswerTimes> {
  return askFor(LIST_MIX, client, seeded, seconds, signal);
}

/** One kind after the other, each by itself. */
export async function askAlone(
  client: ListClient,
  seeded: SeededTasks,
  seconds: number,
  watch: () => CpuWatch<'gateway' | 'postgres'>,
  signal: AbortSignal,
): Promise<readonly AloneLoad[]> {
  const loads: AloneLoad[] = [];
  for (const kind of LIST_MIX) {
    const { name, isFarPage = false } = kind;
    await askFor([kind], client, seeded, Math.min(seconds, MOST_WARM_UP_SECONDS), signal);
    const cpu = watch();
    const times = (await askFor([kind], client, seeded, seconds, signal)).get(name)!;
    loads.push({ name, isFarPage, times, cpu: cpu.read() });
  }
  return loads;
}

async function askFor(
  kinds: readonly ListKind[],
  client: ListClient,
  seeded: SeededTasks,
  seconds: number,
  signal: AbortSignal,
): Promise<AnswerTimes> {
  const times = new Map(kinds.map(({ name }) => [name, [] as number[]]));
  const lots = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  const end = performance.now() + seconds * 1_000;
  const connection = async (_: unknown, number: number) => {
    const draw = seededNumbers(Math.floor(end) * CONNECTIONS + number);
    while (performance.now() < end) {
      signal.throwIfAborted();
      const { name, query } = lots[draw(lots.length)]!;
      times.get(name)!.push(await client.time(query(seeded, draw)));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return times;
}

export function mixTable(times: AnswerTimes, cpu: Cpu): string {
  const weights = LIST_MIX.reduce((sum, { weight }) => sum + weight, 0);
  const rows = LIST_MIX.map(({ name, weight }) => [name, `${weight}`, ...shown(times.get(name)!)]);
  const all = [...times.values()].flat();
  rows.push(['all', `${weights}`, ...shown(all)]);
  const [gateway, postgres] = ofEach(cpu, all.length);
  const table = formatTable(['mix', 'weight', 'answers', 'p50 ms', 'p99 ms', 'max ms'], rows);
  return `${table}\nCPU of a page: gateway ${gateway} ms, Postgres ${postgres} ms`;
}

export function aloneTable(loads: readonly AloneLoad[]): string {
  const rows = loads.map(({ name, times, cpu }) => [name, '', ...shown(times), ...ofEach(cpu, times.length)]);
  return formatTable(['alone', '', 'answers', 'p50 ms', 'p99 ms', 'max ms', 'gateway ms', 'Postgres ms'], rows);
}

/** The kind with the highest p99 of those that ask for a first page. */
export function slowestFirstPage(loads: readonly AloneLoad[]): { readonly name: string; readonly p99Ms: number } {
  return loads
    .filter(({ isFarPage }) => !isFarPage)
    .map(({ name, times }) => ({ name, p99Ms: percentile(sorted(times), 0.99) }))
    .reduce((slowest, kind) => (kind.p99Ms > slowest.p99Ms ? kind : slowest));
}

/** Milliseconds of CPU for each page. */
function ofEach({ gateway, postgres }: Cpu, pages: number): string[] {
  return [gateway, postgres].map((seconds) => ((seconds * 1_000) / pages).toFixed(2));
}

function shown(times: readonly number[]): string[] {
  const shares = [0.5, 0.99, 1].map((share) =>
    times.length === 0 ? '–' : percentile(sorted(times), share).toFixed(1),
  );
  return [`${times.length}`, ...shares];
}

function sorted(times: readonly number[]): Float64Array {
  return Float64Array.from(times).sort();
}
