import type { LatencyHistogram } from '../load/latency-histogram.ts';
import type { Tally } from './tally.ts';
import type { Task } from './work/simulation.ts';

/** The displayed facts of a running simulation. */
export interface Shown {
  readonly title: string;
  readonly tally: Tally;
  /** Tasks under way, by id. */
  readonly open: ReadonlyMap<number, Task['status']>;
}

const SCREEN_MS = 1_000;
/** Plain lines are for logs: fewer. */
const LINE_SECONDS = 5;
const MOST_ERRORS_SHOWN = 8;

const OTHER_SCREEN = '\x1b[?1049h\x1b[?25l';
const SAME_SCREEN = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const TO_END_OF_LINE = '\x1b[K';
const TO_END_OF_SCREEN = '\x1b[J';

/**
 * Shows the progress until the returned function is called: one screen, redrawn every second, on a terminal, and a line
 * now and then elsewhere; with `quiet` nothing. Keeps the tally's seconds in every case.
 */
export function showProgress(shown: Shown, output: NodeJS.WriteStream, quiet: boolean): () => void {
  const isScreen = output.isTTY && !quiet;
  if (isScreen) output.write(OTHER_SCREEN);
  const rate = new PointRate(shown.tally);
  let seconds = 0;
  const tick = () => {
    shown.tally.nextSecond();
    rate.nextSecond();
    seconds += 1;
    if (isScreen) output.write(screen(screenLines(shown, rate.perSecond)));
    else if (!quiet && seconds % LINE_SECONDS === 0) output.write(`${progressLine(shown, rate.perSecond)}\n`);
  };
  const timer = setInterval(tick, SCREEN_MS);
  return () => {
    clearInterval(timer);
    if (isScreen) output.write(SAME_SCREEN);
  };
}

/** Points accepted in each of the last seconds. */
class PointRate {
  readonly #tally: Tally;
  readonly #marks: { readonly at: number; readonly accepted: number }[] = [];

  constructor(tally: Tally) {
    this.#tally = tally;
    this.nextSecond();
  }

  nextSecond(): void {
    this.#marks.push({ at: performance.now(), accepted: this.#tally.points.accepted });
    if (this.#marks.length > 6) this.#marks.shift();
  }

  get perSecond(): number {
    const [first, last] = [this.#marks[0]!, this.#marks.at(-1)!];
    return last.at === first.at ? 0 : ((last.accepted - first.accepted) * 1_000) / (last.at - first.at);
  }
}

function screen(lines: readonly string[]): string {
  return `${HOME}${lines.map((line) => `${line}${TO_END_OF_LINE}`).join('\n')}\n${TO_END_OF_SCREEN}`;
}

function screenLines({ title, tally, open }: Shown, pointsPerSecond: number): string[] {
  const { posts, seen } = tally;
  return [
    title,
    '',
    `running            ${duration(performance.now() - tally.startedAt)}`,
    `agents on duty     ${tally.onDuty}`,
    `points a second    ${pointsPerSecond.toFixed(1)}`,
    '',
    ...totalLines(tally, open),
    '',
    `posts              ${times(posts.recent())}   in the last 10 s`,
    `agent to stream    ${times(seen.recent())}   in the last 10 s`,
    '',
    ...errorLines(tally),
    '',
    'Ctrl-C ends it.',
  ];
}

function progressLine({ tally, open }: Shown, pointsPerSecond: number): string {
  const { points, tasks, posts, seen } = tally;
  const { waiting, assigned, inTransit } = stagesOf(open);
  return [
    duration(performance.now() - tally.startedAt),
    `${tally.onDuty} on duty`,
    `${pointsPerSecond.toFixed(1)} points/s, ${points.accepted} accepted, ${points.stale} stale, ${points.rejected} rejected`,
    `tasks ${waiting} waiting, ${assigned} assigned, ${inTransit} in transit, ${tasks.onTime} on time, ${tasks.late} late`,
    `posts ${times(posts.recent())}`,
    `agent to stream ${times(seen.recent())}`,
    `${tally.errorCount} errors`,
  ].join(' | ');
}

/** The final summary. */
export function summaryLines({ title, tally, open }: Shown): string[] {
  const { posts, seen, events, reconnects } = tally;
  const told = [...events].sort().map(([type, count]) => `${type} ${count}`);
  return [
    `${title}, ${duration(performance.now() - tally.startedAt)}`,
    ...totalLines(tally, open),
    `posts              ${times(posts.total)}, longest ${shortMs(posts.total.maxMs)}`,
    `agent to stream    ${times(seen.total)}, longest ${shortMs(seen.total.maxMs)}`,
    `events seen        ${told.join(', ') || 'none'}; ${seen.total.count} positions`,
    `connections opened again  ${reconnects}`,
    ...errorLines(tally),
  ];
}

/** The same as an object. */
export function summaryObject({ title, tally, open }: Shown): object {
  const { points, tasks, offers, exceptions, overtaken, posts, seen, events, errors, reconnects } = tally;
  const timesOf = (histogram: LatencyHistogram) => ({
    count: histogram.count,
    p50Ms: histogram.percentile(0.5),
    p99Ms: histogram.percentile(0.99),
    maxMs: histogram.maxMs,
  });
  return {
    title,
    seconds: (performance.now() - tally.startedAt) / 1_000,
    points,
    tasks: { ...tasks, open: open.size },
    offers,
    exceptions,
    overtaken: Object.fromEntries(overtaken),
    posts: timesOf(posts.total),
    agentToStream: timesOf(seen.total),
    events: Object.fromEntries(events),
    reconnects,
    errors: Object.fromEntries(errors),
  };
}

function totalLines({ points, tasks, offers, exceptions, overtaken }: Tally, open: Shown['open']): string[] {
  const { waiting, assigned, inTransit } = stagesOf(open);
  const { accepted, stale, rejected, dropped } = points;
  const leftOver = tasks.leftOver > 0 ? `, called off at the end ${tasks.leftOver}` : '';
  const heldBack = tasks.heldBack > 0 ? `, not made since too many wait ${tasks.heldBack}` : '';
  const tooLate = [...overtaken].map(([code, count]) => `${code} ${count}`).join(', ');
  return [
    `points             accepted ${accepted}, stale ${stale}, rejected ${rejected}, dropped by apps ${dropped}`,
    `tasks under way    waiting ${waiting}, assigned ${assigned}, in transit ${inTransit}`,
    `tasks so far       created ${tasks.created}, on time ${tasks.onTime}, late ${tasks.late}, failed ${tasks.failed}, ` +
      `cancelled ${tasks.cancelled}${leftOver}${heldBack}`,
    `offers             made ${offers.made}, accepted ${offers.accepted}, declined ${offers.declined}, ` +
      `run out ${offers.expired}`,
    `exceptions         breakdowns ${exceptions.breakdowns}, reassigned ${exceptions.reassigned}, ` +
      `attempted again ${exceptions.attemptedAgain}`,
    `overtaken          ${tooLate || 'none'}`,
  ];
}

function errorLines({ errors }: Tally): string[] {
  if (errors.size === 0) return ['errors             none'];
  const shown = [...errors].slice(0, MOST_ERRORS_SHOWN);
  const more = errors.size - shown.length;
  return [
    'errors',
    ...shown.map(([kind, { count, example }]) => `  ${count} × ${kind}   ${example}`),
    ...(more > 0 ? [`  and ${more} more kinds`] : []),
  ];
}

function stagesOf(open: Shown['open']) {
  const counts = { waiting: 0, assigned: 0, inTransit: 0 };
  for (const stage of open.values()) {
    const isWaiting = stage === 'new' || stage === 'awaiting_assignment';
    counts[isWaiting ? 'waiting' : stage === 'in_transit' ? 'inTransit' : 'assigned'] += 1;
  }
  return counts;
}

function times(histogram: LatencyHistogram): string {
  return `p50 ${shortMs(histogram.percentile(0.5))}, p99 ${shortMs(histogram.percentile(0.99))}`;
}

function shortMs(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
}

function duration(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
