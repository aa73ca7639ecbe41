import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../schema/limits.ts';
import { Journal } from '../support/journal.ts';
import { backendsOf } from './support/backends.ts';
import { startEngineFixture } from './support/engine-fixture.ts';
import { assertKeptPromises } from './support/final-rows.ts';
import { runLoad, type Send } from './support/journaled-load.ts';
import { assertMemoryIsPostgres } from './support/memory.ts';

const COMMIT = 'dispatch commit';
const SILENCE_MS = 20_000;
/**
 * The longest wait for an answer: the patience with a commit and the search for its outcome. It is less than the
 * silence.
 */
const ANSWER_MS = LIMITS.commitDeadlineMs + LIMITS.settleDeadlineMs + 6_000;
const PAUSE_MS = 150;
/** Far below the creates of many connections in that time, and far above the few that a stopped client leaves. */
const FEWEST_DURING = 100;

describe('a commit connection that is silent for 20 s', { concurrency: true }, () => {
  for (const [direction, what] of [
    ['up', 'before the commit arrives'],
    ['down', 'before its answer arrives'],
    ['both', 'either way'],
  ] as const) {
    test(`and falls silent ${what} stops no other client, and late bytes change nothing`, async () => {
      const fixture = await startEngineFixture();
      const { engine, proxy, databaseUrl, organizationIds } = fixture;
      const journal = new Journal();
      let slowestMs = 0;
      const send: Send = async (operation, attempt) => {
        await delay(PAUSE_MS);
        const sentAt = performance.now();
        const outcome = await fixture.send(operation, attempt);
        slowestMs = Math.max(slowestMs, performance.now() - sentAt);
        return outcome;
      };
      const load = (name: string, isOver: () => boolean) =>
        runLoad({ journal, send, organizationIds, connections: 6, tasks: 100_000, name, isOver });
      const afterMs = (ms: number) => {
        const end = performance.now() + ms;
        return () => performance.now() > end;
      };
      try {
        await load('before', afterMs(300));
        const silent = proxy.connections(COMMIT)[0]!;
        silent.silence(direction);
        await load('silent', afterMs(SILENCE_MS));
        const held = direction === 'down' ? silent.heldDown : silent.heldUp;
        assert.ok(held > 0, 'nothing was on its way when the connection fell silent');
        silent.resume();
        await load('after', afterMs(300));
        // The statement that was held back has run by now, and its session has ended.
        while ((await backendsOf(databaseUrl, COMMIT)).length > 1) await delay(50);
        for (const organizationId of organizationIds) {
          const { tasks } = await assertMemoryIsPostgres(engine, databaseUrl, organizationId, journal);
          assert.ok(tasks > 0, 'memory held nothing to compare');
        }
        await assertKeptPromises(journal, databaseUrl);
        assert.ok(slowestMs < ANSWER_MS, `an answer took ${Math.round(slowestMs)} ms`);
        const during = [...journal.operations.keys()].filter((key) => key.startsWith('silent-'));
        assert.ok(
          during.length > FEWEST_DURING,
          `only ${during.length} operations ended while the connection was silent`,
        );
      } finally {
        await fixture.stop();
      }
    });
  }
});
