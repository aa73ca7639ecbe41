import { type HttpAnswer, HttpLine, type LineUser } from '../load/http-line.ts';
import { LatencyHistogram } from '../load/latency-histogram.ts';
import { serveOrder, sleepFully } from '../load/serve-order.ts';
import { FailureCount } from './failure-count.ts';
import type { LocationOrder, LocationOutcome } from './location-order.ts';
import { PointBatch } from './point-batch.ts';

/** The generator of positions, a process of its own: batches over connections that each wait for the answer. */

const PACE_MS = 1;
/** A server that falls back further does not keep up: seconds of batches that are due and not sent. */
const MOST_OVERDUE_SECONDS = 1;

/** The sightings of all connections. */
class Seen {
  readonly latencies = new LatencyHistogram();
  readonly failures = new FailureCount();
  isInWindow = false;
  points = 0;
  accepted = 0;
  stale = 0;
  rejected = 0;

  take({ status, body }: HttpAnswer, points: number, ms: number): void {
    if (status !== 202) {
      this.failures.add(`status ${status}`, body);
      return;
    }
    this.accepted += numberAfter(body, '"accepted":');
    this.stale += numberAfter(body, '"stale":');
    this.rejected += numberAfter(body, '"rejected":');
    if (!this.isInWindow) return;
    this.points += points;
    this.latencies.add(ms);
  }
}

/** One connection, with the batches that use it in turn. */
class Sender implements LineUser {
  readonly #line: HttpLine;
  readonly #batches: readonly PointBatch[];
  readonly #seen: Seen;
  readonly #batchPoints: number;
  readonly #isPaced: boolean;
  /** The due times of batches that are still to be sent. */
  readonly #due: number[] = [];
  #next = 0;
  #countsFrom = 0;
  #isStopped = false;

  constructor(batches: readonly PointBatch[], { baseUrl, batchPoints, pointsPerSecond }: LocationOrder, seen: Seen) {
    this.#line = new HttpLine(new URL(baseUrl));
    this.#batches = batches;
    this.#seen = seen;
    this.#batchPoints = batchPoints;
    this.#isPaced = pointsPerSecond !== null;
  }

  get overdue(): number {
    return this.#due.length;
  }

  /** Sends a batch now, or as soon as the ones before it are answered; its time counts from now. */
  send(): void {
    const now = performance.now();
    if (this.#line.isBusy) this.#due.push(now);
    else this.#transmit(now);
  }

  stop(): void {
    this.#isStopped = true;
    this.#line.close();
  }

  onAnswer(answer: HttpAnswer): void {
    const now = performance.now();
    this.#seen.take(answer, this.#batchPoints, now - this.#countsFrom);
    this.#goOn(now);
  }

  onFailure(error: Error): void {
    if (this.#isStopped) return;
    this.#seen.failures.add('connection', error.message);
    // Not at once: a server that is not there would be asked without a pause.
    setTimeout(() => this.#goOn(performance.now()), 100);
  }

  #goOn(now: number): void {
    if (this.#isStopped || this.#line.isBusy) return;
    const dueAt = this.#isPaced ? this.#due.shift() : now;
    if (dueAt !== undefined) this.#transmit(dueAt);
  }

  #transmit(countsFrom: number): void {
    this.#countsFrom = countsFrom;
    this.#line.send(this.#batches[this.#next++ % this.#batches.length]!.next(), this);
  }
}

serveOrder(async (order: LocationOrder, tellWindow, _tellReady, ended): Promise<LocationOutcome> => {
  const seen = new Seen();
  const senders = makeSenders(order, seen);
  const stopPacing = order.pointsPerSecond === null ? startAll(senders) : pace(senders, order);
  await sleepFully(order.warmUpSeconds * 1_000);
  tellWindow('start');
  seen.isInWindow = true;
  const startedAt = performance.now();
  await Promise.race([sleepFully(order.seconds * 1_000), ended]);
  seen.isInWindow = false;
  const windowMs = performance.now() - startedAt;
  tellWindow('end');
  stopPacing();
  const overdue = senders.reduce((sum, sender) => sum + sender.overdue, 0);
  const mostOverdue = (MOST_OVERDUE_SECONDS * (order.pointsPerSecond ?? 0)) / order.batchPoints;
  if (overdue > mostOverdue) seen.failures.add('overdue', `${overdue} batches were due and not sent`);
  for (const sender of senders) sender.stop();
  const { latencies, failures, points, accepted, stale, rejected } = seen;
  const times = { p50Ms: latencies.percentile(0.5) ?? 0, p99Ms: latencies.percentile(0.99) ?? 0 };
  return { windowMs, points, ...times, maxMs: latencies.maxMs, accepted, stale, rejected, ...failures };
});

function makeSenders(order: LocationOrder, seen: Seen): Sender[] {
  const { baseUrl, apiKey, agentIds, batchPoints, connections } = order;
  const target = { url: new URL(baseUrl), apiKey };
  const batches = Array.from(
    { length: agentIds.length / batchPoints },
    (_, index) => new PointBatch(target, agentIds.slice(index * batchPoints, (index + 1) * batchPoints), index),
  );
  // A connection without a batch of its own has nothing to send.
  return Array.from({ length: Math.min(connections, batches.length) }, (_, connection) => {
    const own = batches.filter((_batch, index) => index % connections === connection);
    return new Sender(own, order, seen);
  });
}

function startAll(senders: readonly Sender[]): () => void {
  for (const sender of senders) sender.send();
  return () => {};
}

/** Sends at the given rate, regardless of the answers. */
function pace(senders: readonly Sender[], { pointsPerSecond, batchPoints }: LocationOrder): () => void {
  const batchesPerMs = pointsPerSecond! / batchPoints / 1_000;
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.floor((performance.now() - startedAt) * batchesPerMs);
    for (; sent < due; sent++) senders[sent % senders.length]!.send();
  }, PACE_MS);
  return () => clearInterval(timer);
}

function numberAfter(text: string, label: string): number {
  const at = text.indexOf(label);
  return at === -1 ? 0 : Number.parseInt(text.slice(at + label.length, at + label.length + 8), 10);
}
