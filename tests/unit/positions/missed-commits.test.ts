import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Positions } from '../../../engine/positions/positions.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { Roster } from '../../../engine/store/positions/roster-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createHandClock, idle } from '../gateway/guards/hand-clock.ts';

const ORGANIZATION = 1;
const SERVICES = { pickupServiceMs: 0, dropoffServiceMs: 0 };

/** Positions whose readings of the roster end by hand, and commits that change nothing but the place in the log. */
async function openPositions() {
  const { clock, scheduler, advance } = createHandClock();
  const readings: { readonly show: (sequence: number) => Promise<void>; readonly fail: () => Promise<void> }[] = [];
  const positions = new Positions({
    store: { save: async () => 0, load: async () => [], forget: async () => {} },
    readRoster: () =>
      new Promise<Roster>((resolve, reject) => {
        readings.push({
          show(sequence) {
            resolve({ agents: [], sequence, services: SERVICES });
            return idle();
          },
          fail() {
            reject(new Error('away'));
            return idle();
          },
        });
      }),
    noteTrail: () => {},
    watch: { onTick() {}, stopsBefore: () => undefined },
    clock,
    scheduler,
    log: createLog('test', 'silent'),
  });
  const commit = (expectedSequence: number) =>
    positions.changed(ORGANIZATION, {
      expectedSequence,
      lastSequence: expectedSequence + 1,
      agents: [],
      tasks: [],
      services: SERVICES,
    });
  await positions.known(ORGANIZATION);
  await readings[0]!.show(10);
  return { commit, readings, later: () => advance(LIMITS.rosterRefreshMs + LIMITS.positionTickMs) };
}

test('a missed commit is read again until a reading has worked, and then no more', async () => {
  const { commit, readings, later } = await openPositions();
  commit(10);
  assert.equal(readings.length, 1, 'none was missed');
  commit(12);
  assert.equal(readings.length, 2);
  await readings[1]!.fail();
  await later();
  assert.equal(readings.length, 3);
  await readings[2]!.show(13);
  await later();
  assert.equal(readings.length, 3);
});

test('a reading that began before the commit that was missed does not count', async () => {
  const { commit, readings, later } = await openPositions();
  commit(12);
  // Another one is missed while this reading goes on, which does not show it.
  commit(15);
  await readings[1]!.show(13);
  await later();
  assert.equal(readings.length, 3);
  commit(17);
  await readings[2]!.show(17);
  await later();
  assert.equal(readings.length, 3, 'the reading shows each commit');
});
