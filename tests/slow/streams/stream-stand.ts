import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiClient, type ApiHeaders, createApiClient } from '../../support/api-client.ts';
import { createTestPlace, startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { type Subscribers, type SubscribersReport, startSubscribers } from './subscribers.ts';

export const MIB = 1_048_576;

export interface Stand {
  readonly gateway: TestGateway;
  readonly api: ApiClient;
  readonly subscribers: Subscribers;
  open(count: number, query?: string): Promise<void>;
  /** Commits so many events a second, for so long; what each asks for is the test's. Resolves when all are answered. */
  commit(
    perSecond: number,
    seconds: number,
    ask?: (index: number, headers: ApiHeaders) => Promise<unknown>,
  ): Promise<void>;
}

/** A gateway in a process of its own, and clients in another. */
export async function withStand(body: (stand: Stand) => Promise<void>): Promise<void> {
  const place = await createTestPlace();
  const gateway = await startTestGateway({ place, process: true });
  const api = createApiClient(gateway);
  const subscribers = startSubscribers();
  let commits = 0;
  const stand: Stand = {
    gateway,
    api,
    subscribers,
    async open(count, query = '') {
      const { organizationId, key, baseUrl } = gateway;
      const path = `/api/v1/realtime/organizations/${organizationId}/events${query}`;
      await subscribers.ask({ kind: 'open', count, port: Number(new URL(baseUrl).port), path, key });
    },
    async commit(perSecond, seconds, ask = (_index, headers) => api.createTask({}, headers)) {
      const startedAt = performance.now();
      const asked: Promise<unknown>[] = [];
      const total = perSecond * seconds;
      while (asked.length < total) {
        const due = Math.min(total, ((performance.now() - startedAt) / 1_000) * perSecond);
        while (asked.length < due) {
          commits += 1;
          const headers = { 'idempotency-key': `commit-${commits}` };
          const index = asked.length;
          // A kept connection may have been closed just then: the same once more changes nothing twice.
          asked.push(ask(index, headers).catch(() => ask(index, headers)));
        }
        await delay(5);
      }
      await Promise.all(asked);
    },
  };
  try {
    await body(stand);
  } finally {
    await subscribers.stop();
    api.close();
    await gateway.stop();
    await place.drop();
  }
}

/** Everybody has each event of the log, once and in order. */
export function assertComplete({ clients, twice, resyncs }: SubscribersReport, events: number): void {
  assert.deepEqual([twice, resyncs], [0, 0]);
  const sum = (events * (events + 1)) / 2;
  const wrong = clients.filter((client) => client.count !== events || client.sum !== sum);
  assert.deepEqual(wrong, [], `${wrong.length} of ${clients.length} lack something of ${events} events`);
}

export function residentBytes({ pid }: TestGateway): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1_024;
}

/** User and system time of a process so far, in ms. */
export function cpuMs({ pid }: TestGateway): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export async function metricsOf({ baseUrl }: TestGateway): Promise<string> {
  return (await fetch(`${baseUrl}/metrics`)).text();
}

export function tell(t: TestContext, what: string, { delayMs: { p50, p99, max } }: SubscribersReport): void {
  t.diagnostic(`${what}: from decision to client p50 ${p50} ms, p99 ${p99} ms, at most ${max} ms`);
}
