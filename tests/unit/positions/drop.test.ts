import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Positions } from '../../../engine/positions/positions.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { SavedPosition } from '../../../engine/store/positions/position-store.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const DEVICE = { accuracy: 1, speed: 0, heading: 0, altitude: 0, battery: 1 };

/** Positions of a store that saves once it is let, and ticks that come by hand. */
function openPositions() {
  let time = NOON;
  let tick = () => {};
  const saves: { readonly latitudes: readonly number[]; readonly finish: () => void }[] = [];
  const positions = new Positions({
    store: {
      save: (_organizationId, agents: readonly SavedPosition[]) =>
        new Promise((resolve) => {
          saves.push({ latitudes: agents.map(({ latitude }) => latitude), finish: () => resolve(agents.length) });
        }),
      load: async () => [],
      forget: async () => {},
    },
    readRoster: () => new Promise(() => {}),
    noteTrail: () => {},
    watch: { onTick() {}, stopsBefore: () => undefined },
    clock: { now: () => time, monotonic: () => time },
    scheduler: {
      after(_delayMs, due) {
        tick = due;
        return () => {};
      },
      every: () => assert.fail('it repeats'),
      soon: (due) => due(),
    },
    log: createLog('test', 'silent'),
  });
  const take = (latitude: number) => {
    time += 1_000;
    positions.takeOwn(1, 7, [{ latitude, longitude: 2, recordedAtMs: time, ...DEVICE }]);
  };
  return { positions, take, saves, tick: () => tick() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an organization that moves away leaves Redis the points since its last tick', () => {
  const { positions, take, saves } = openPositions();
  take(51);
  positions.drop(() => true);
  assert.deepEqual(
    saves.map(({ latitudes }) => latitudes),
    [[51]],
  );
  assert.equal(positions.size, 0);
});

test('a position that is newer than a save under way is saved behind it', async () => {
  const { positions, take, saves, tick } = openPositions();
  take(51);
  tick();
  take(52);
  positions.drop(() => true);
  assert.equal(saves.length, 1, 'one at a time');
  saves[0]!.finish();
  await turn();
  assert.deepEqual(
    saves.map(({ latitudes }) => latitudes),
    [[51], [52]],
  );
});
