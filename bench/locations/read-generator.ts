import { type HttpAnswer, HttpLine, type LineUser } from '../load/http-line.ts';
import { requestHead } from '../load/http-pool.ts';
import { LatencyHistogram } from '../load/latency-histogram.ts';
import { serveOrder, sleepFully } from '../load/serve-order.ts';
import { dueTimes } from './due-times.ts';
import { FailureCount } from './failure-count.ts';
import type { ReadOrder, ReadOutcome } from './location-order.ts';

/** The generator of single-task reads, a process of its own: at a given rate, regardless of the answers. */

const PACE_MS = 1;

/** One connection. */
class Reader implements LineUser {
  readonly #line: HttpLine;
  readonly #onDone: (reader: Reader, ms: number, answer: HttpAnswer | Error) => void;
  #countsFrom = 0;

  constructor(target: URL, onDone: (reader: Reader, ms: number, answer: HttpAnswer | Error) => void) {
    this.#line = new HttpLine(target);
    this.#onDone = onDone;
  }

  /** The time counts from when the read was due. */
  read(request: string, dueAt: number): void {
    this.#countsFrom = dueAt;
    this.#line.send(request, this);
  }

  stop(): void {
    this.#line.close();
  }

  onAnswer(answer: HttpAnswer): void {
    this.#onDone(this, performance.now() - this.#countsFrom, answer);
  }

  onFailure(error: Error): void {
    this.#onDone(this, performance.now() - this.#countsFrom, error);
  }
}

serveOrder(async (order: ReadOrder, tellWindow): Promise<ReadOutcome> => {
  const { baseUrl, apiKey, taskIds, connections, readsPerSecond, warmUpSeconds, seconds } = order;
  const target = new URL(baseUrl);
  const requests = taskIds.map(
    (id) => `${requestHead('GET', `/api/v1/tasks/${id}`, target, { 'x-api-key': apiKey })}\r\n`,
  );
  const latencies = new LatencyHistogram();
  const failures = new FailureCount();
  let [isInWindow, isStopped, sent] = [false, false, 0];
  const due: number[] = [];
  const read = (reader: Reader, dueAt: number) => reader.read(requests[sent++ % requests.length]!, dueAt);
  const idle: Reader[] = Array.from({ length: connections }, () => new Reader(target, done));
  const readers = [...idle];
  function done(reader: Reader, ms: number, answer: HttpAnswer | Error): void {
    if (isStopped) return;
    if (answer instanceof Error) failures.add('connection', answer.message);
    else if (answer.status !== 200) failures.add(`status ${answer.status}`, answer.body);
    else if (isInWindow) latencies.add(ms);
    const dueAt = due.shift();
    if (dueAt === undefined) idle.push(reader);
    else read(reader, dueAt);
  }

  const startedAt = performance.now();
  let asked = 0;
  const timer = setInterval(() => {
    const times = dueTimes(startedAt, readsPerSecond, asked, performance.now());
    asked += times.length;
    for (const dueAt of times) {
      const reader = idle.pop();
      if (reader) read(reader, dueAt);
      else due.push(dueAt);
    }
  }, PACE_MS);
  await sleepFully(warmUpSeconds * 1_000);
  tellWindow('start');
  isInWindow = true;
  await sleepFully(seconds * 1_000);
  isInWindow = false;
  tellWindow('end');
  clearInterval(timer);
  isStopped = true;
  for (const reader of readers) reader.stop();
  const times = { p50Ms: latencies.percentile(0.5) ?? 0, p99Ms: latencies.percentile(0.99) ?? 0 };
  return { reads: latencies.count, ...times, maxMs: latencies.maxMs, ...failures };
});
