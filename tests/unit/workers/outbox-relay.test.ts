import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { LagPage } from '../../../engine/store/log/relay-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type OutboxRelayOptions, type PassOver, parseHint, startOutboxRelay } from '../../../workers/outbox-relay.ts';

/** A relay whose sweeps are turned by hand, and what it waits for too. */
function startRelay(wake: OutboxRelayOptions['wake'], pages: LagPage[] = [], gatherMs?: number) {
  const askedAfter: number[] = [];
  const timers: { readonly delayMs: number; readonly task: () => void }[] = [];
  let sweep = () => {};
  const scheduler: Scheduler = {
    after(delayMs, task) {
      timers.push({ delayMs, task });
      return () => {};
    },
    soon: () => {},
    every(_periodMs, task) {
      sweep = task;
      return () => {
        sweep = () => {};
      };
    },
  };
  const relay = startOutboxRelay({
    async findLagging(after) {
      askedAfter.push(after);
      return pages.shift() ?? { lagging: [], next: undefined };
    },
    wake,
    ...(gatherMs === undefined ? {} : { gatherMs }),
    scheduler,
    log: createLog('workers', 'silent'),
  });
  return {
    relay,
    askedAfter,
    timers,
    sweep: () => sweep(),
    settled: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

test('hints that come while a wake-up is on its way gather into one', async () => {
  const woken: number[][] = [];
  let release = () => {};
  const { relay, settled } = startRelay((ids) => {
    woken.push([...ids]);
    return new Promise((resolve) => {
      release = resolve;
    });
  });
  await settled();
  for (const hint of ['1', '2', '3', '2', '1']) relay.hint(hint);
  await settled();
  release();
  await settled();
  assert.deepEqual(woken, [[1], [2, 3, 1]]);
});

test('a listener in no hurry is woken once for the hints of a while', async () => {
  const woken: number[][] = [];
  const { relay, timers, settled } = startRelay(async (ids) => void woken.push([...ids]), [], 300);
  await settled();
  for (const hint of ['1', '2', '1']) relay.hint(hint);
  await settled();
  assert.deepEqual([woken, timers.map(({ delayMs }) => delayMs)], [[], [300]]);
  timers.shift()!.task();
  await settled();
  relay.hint('3');
  assert.deepEqual([woken, timers.length], [[[1, 2]], 1]);
});

test('a wake-up that fails is forgotten, and the next sweep finds the organization again', async () => {
  const woken: number[][] = [];
  let isAway = true;
  const page = { lagging: [5], next: undefined };
  const { relay, sweep, settled } = startRelay(
    async (ids) => {
      if (isAway) throw new Error('away');
      woken.push([...ids]);
    },
    [{ lagging: [], next: undefined }, page],
  );
  await settled();
  relay.hint('5');
  await settled();
  isAway = false;
  assert.deepEqual(woken, []);
  sweep();
  await settled();
  assert.deepEqual(woken, [[5]]);
});

test('an organization that a sweep finds is woken, even when an older wake-up passes it over afterwards', async () => {
  const woken: number[][] = [];
  const ends: (() => void)[] = [];
  const wake = (ids: readonly number[], passOver: PassOver) => {
    woken.push([...ids]);
    return new Promise<void>((resolve) => {
      ends.push(() => {
        if (woken.length === 1) passOver(ids);
        resolve();
      });
    });
  };
  const page = { lagging: [5], next: undefined };
  const { relay, sweep, settled } = startRelay(wake, [{ lagging: [], next: undefined }, page]);
  await settled();
  relay.hint('5');
  sweep();
  await settled();
  ends.shift()!();
  await settled();
  assert.deepEqual(woken, [[5], [5]]);
});

test('sweeps go on while wake-ups follow each other without end', async () => {
  let isOver = false;
  const { relay, askedAfter, sweep, settled } = startRelay(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isOver) relay.hint('1');
  }, [{ lagging: [1], next: undefined }]);
  for (let i = 0; i < 3; i++) {
    await settled();
    sweep();
  }
  await settled();
  isOver = true;
  assert.deepEqual(askedAfter, [0, 0, 0, 0]);
});

test('sweeps go on behind the last page and begin again after the end', async () => {
  const pages = [
    { lagging: [], next: 40 },
    { lagging: [], next: 80 },
    { lagging: [], next: undefined },
  ];
  const { askedAfter, sweep, settled } = startRelay(async () => {}, pages);
  for (let i = 0; i < 3; i++) {
    await settled();
    sweep();
  }
  await settled();
  assert.deepEqual(askedAfter, [0, 40, 80, 0]);
});

test('the queue of wake-ups is bounded, and leaves in parts', async () => {
  const sizes: number[] = [];
  const { relay, settled } = startRelay(async (ids) => void sizes.push(ids.length));
  await settled();
  relay.hint(Array.from({ length: LIMITS.relayedOrganizations + 1_000 }, (_, i) => i + 1).join(','));
  await settled();
  assert.equal(Math.max(...sizes), LIMITS.jobsPerAdd);
  assert.equal(
    sizes.reduce((a, b) => a + b),
    LIMITS.relayedOrganizations,
  );
});

test('the memory of passed-over organizations is bounded too: one without room is asked again', async () => {
  let asked = 0;
  const { relay, settled } = startRelay(async (ids, passOver) => {
    asked += ids.length;
    passOver(ids);
  });
  await settled();
  const hint = (from: number, count: number) => relay.hint(Array.from({ length: count }, (_, i) => from + i).join(','));
  hint(1, LIMITS.relayedOrganizations);
  await settled();
  hint(LIMITS.relayedOrganizations + 1, 10);
  await settled();
  assert.equal(asked, LIMITS.relayedOrganizations + 10);
  hint(1, LIMITS.relayedOrganizations);
  hint(LIMITS.relayedOrganizations + 1, 10);
  await settled();
  assert.equal(asked, LIMITS.relayedOrganizations + 20);
});

test('only a list of ids is a hint', () => {
  assert.deepEqual(parseHint('7'), [7]);
  assert.deepEqual(parseHint('7,12'), [7, 12]);
  for (const message of ['', ',', '7,', '0', '-1', '1.5', '1e3', 'seven', '7 ', '9'.repeat(16), '7\n']) {
    assert.equal(parseHint(message), undefined, JSON.stringify(message));
  }
});
