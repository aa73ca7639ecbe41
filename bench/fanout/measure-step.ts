import { runGenerator } from '../load/run-generator.ts';
import { type CpuSeconds, type CpuWatch, watchCpu } from '../measure/process-cpu.ts';
import type { FanoutOptions, PartName } from './fanout-options.ts';
import {
  type AudienceOrder,
  type AudienceOutcome,
  eventsOf,
  type PublishOrder,
  type PublishOutcome,
} from './fanout-order.ts';

export type SideName = 'ours' | 'nchan';

/** Where one step publishes, and where its audience listens. */
export interface Channel {
  readonly publish: Pick<PublishOrder, 'url' | 'headers' | 'expectedStatus' | 'body'>;
  readonly listen: Pick<AudienceOrder, 'url' | 'headers'>;
}

/** One of the two that are compared. */
export interface Side {
  readonly name: SideName;
  /** The processes whose CPU is its cost: one process, or a service and its nchan. */
  readonly serverPids: readonly number[];
  /** For each step, so that nothing of an earlier one is in the way. */
  openChannel(): Promise<Channel>;
  lastLines(): string;
}

export interface FanoutBench {
  readonly part: PartName;
  readonly options: FanoutOptions;
  readonly publishers: number;
  readonly leap: number;
  readonly postmasterPid: number;
  readonly signal: AbortSignal;
}

/** One side at one rate, once. */
export interface FanoutStep extends AudienceOutcome {
  readonly part: PartName;
  readonly side: SideName;
  readonly round: number;
  readonly eventsPerSecond: number;
  readonly subscribers: number;
  readonly events: number;
  readonly publishing: PublishOutcome;
  readonly windowMs: number;
  /** CPU seconds inside the window. */
  readonly cpu: CpuSeconds<'server' | 'audience' | 'publishers' | 'postgres'>;
  /** The reason why it did not pass; empty when it did. */
  readonly shortcomings: readonly string[];
}

/** Source: the project's performance goals. */
const MOST_P99_MS = 250;

const AUDIENCE = new URL('./audience.ts', import.meta.url);
const PUBLISHERS = new URL('./publishers.ts', import.meta.url);

type Part = 'server' | 'audience' | 'publishers' | 'postgres';

/** Opens all streams, then publishes at the given rate while the other side idles. */
export async function measureStep(
  side: Side,
  { round, eventsPerSecond }: { readonly round: number; readonly eventsPerSecond: number },
  { part, options, publishers, leap, postmasterPid, signal }: FanoutBench,
): Promise<FanoutStep> {
  const { subscribers, seconds, warmUpSeconds } = options;
  const channel = await side.openChannel();
  const schedule = { publishers, eventsPerSecond, warmUpSeconds, seconds };
  const events = eventsOf(schedule);
  const countedFrom = Math.floor(eventsPerSecond * warmUpSeconds);
  const order = { ...channel.listen, subscribers, publishers, events, countedFrom, leap, warmUpSeconds, seconds };
  const audience = await openAudience(order, signal);
  const watchAll = (publishersPid: number) =>
    watchCpu<Part>({
      server: side.serverPids,
      audience: [audience.pid],
      publishers: [publishersPid],
      postgres: { tree: postmasterPid },
    });
  const published = await publish({ ...channel.publish, ...schedule }, watchAll, signal).finally(audience.letGo);
  const seen = await audience.outcome;
  const facts = { part, side: side.name, round, eventsPerSecond, subscribers, events };
  const step = { ...seen, ...facts, ...published };
  return { ...step, shortcomings: shortcomingsOf(step) };
}

interface OpenAudience {
  readonly pid: number;
  readonly outcome: Promise<AudienceOutcome>;
  letGo(): void;
}

/** Resolves when all streams are open. */
function openAudience(order: AudienceOrder, signal: AbortSignal): Promise<OpenAudience> {
  return new Promise((resolve, reject) => {
    let letGo = () => {};
    const keptUntil = new Promise<void>((done) => {
      letGo = done;
    });
    const watch = { signal, onWindow: () => {}, onReady: (pid: number) => resolve({ pid, outcome, letGo }), keptUntil };
    const outcome = runGenerator<AudienceOutcome>(AUDIENCE, order, watch);
    outcome.catch(reject);
  });
}

async function publish(order: PublishOrder, watchAll: (publishersPid: number) => CpuWatch<Part>, signal: AbortSignal) {
  let watch: CpuWatch<Part> | undefined;
  let measured: { readonly windowMs: number; readonly cpu: FanoutStep['cpu'] } | undefined;
  let startedAt = 0;
  const onWindow = (edge: 'start' | 'end', publishersPid: number) => {
    if (edge === 'start') {
      startedAt = performance.now();
      watch = watchAll(publishersPid);
    } else {
      measured = { windowMs: performance.now() - startedAt, cpu: watch!.read() };
    }
  };
  const publishing = await runGenerator<PublishOutcome>(PUBLISHERS, order, { signal, onWindow });
  return { publishing, ...measured! };
}

function shortcomingsOf(step: Omit<FanoutStep, 'shortcomings'>): string[] {
  const { events, publishing, incomplete, outOfTurn, otherOrder, p99Ms, failures, firstFailure } = step;
  const found: string[] = [];
  if (publishing.answered < events)
    found.push(`${events - publishing.answered} of ${events} were not published in time`);
  if (incomplete > 0) found.push(`${incomplete} subscribers did not get all in time`);
  if (outOfTurn > 0) found.push(`${outOfTurn} came out of turn`);
  if (otherOrder > 0 && incomplete === 0) found.push(`${otherOrder} subscribers saw another order`);
  if (p99Ms > MOST_P99_MS) found.push(`p99 ${p99Ms.toFixed(0)} ms`);
  for (const [kind, count] of Object.entries(publishing.failures))
    found.push(`${count} × ${kind}; first ${publishing.firstFailure}`);
  for (const [kind, count] of Object.entries(failures)) found.push(`${count} × ${kind}; first ${firstFailure}`);
  return found;
}
