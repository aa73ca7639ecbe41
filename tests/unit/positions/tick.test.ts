import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Positions } from '../../../engine/positions/positions.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { LIMITS } from '../../../schema/limits.ts';

const PERIOD = LIMITS.positionTickMs;

test('a tick that comes late puts off none of those behind it, and the next one comes not much sooner', () => {
  let time = 5_000;
  const delays: number[] = [];
  let task = () => {};
  const positions = new Positions({
    store: { save: async () => 0, load: async () => [], forget: async () => {} },
    readRoster: async () => ({ agents: [], sequence: 0, services: { pickupServiceMs: 0, dropoffServiceMs: 0 } }),
    noteTrail: () => {},
    watch: { onTick() {}, stopsBefore: () => undefined },
    clock: { now: () => time, monotonic: () => time },
    scheduler: {
      after(delayMs, due) {
        delays.push(delayMs);
        task = due;
        return () => {
          task = () => {};
        };
      },
      every: () => assert.fail('a period that drifts'),
      soon: (due) => due(),
    },
    log: createLog('test', 'silent'),
  });
  for (const late of [0, 60, 60, 400, 0]) {
    time += delays.at(-1)! + late;
    task();
  }
  assert.deepEqual(delays, [PERIOD, PERIOD, PERIOD - 60, PERIOD - 60, LIMITS.leastPositionTickMs, PERIOD]);
  void positions.stop();
  const { length } = delays;
  task();
  assert.equal(delays.length, length, 'it ticks on after its end');
});
