import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRoundPositions } from '../../../engine/planning/round-positions.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { KnownPosition, SavedPosition } from '../../../engine/store/positions/position-store.ts';

type Known = readonly KnownPosition[];

const NOW = 1_000;
/** Points of the next minute count: clocks of devices are off. */
const AHEAD = NOW + 60_000;

const away = () => Promise.reject(new Error('away'));
const at = (recordedAtMs: number, latitude: number, heardAtMs = 0): KnownPosition => {
  return { agentId: 1, recordedAtMs, heardAtMs, latitude, longitude: 7 };
};

function load(kept: Known | 'away', held: Known | undefined | 'away'): Promise<Known> {
  const positions = createRoundPositions({
    kept: { load: kept === 'away' ? away : async () => [...kept] as SavedPosition[] },
    held: held === 'away' ? away : async () => held,
    clock: { now: () => NOW },
    log: createLog('test', 'silent'),
  });
  return positions.load(17);
}

const other = { ...at(5, 3), agentId: 2 };

for (const [what, kept, held, known] of [
  ['a point that Redis does not have yet', [at(1, 50)], [at(2, 51)], [at(2, 51)]],
  ['the last point of the owner before, which the present one has not read', [at(2, 51)], [at(1, 50)], [at(2, 51)]],
  ['the place of the one and the heartbeat of the other', [at(1, 50, 9)], [at(2, 51, 3)], [at(2, 51, 9)]],
  ['a heartbeat that Redis does not have yet', [at(1, 50, 3)], [at(1, 50, 9)], [at(1, 50, 9)]],
  [
    'the point of the owner rather than one kept by a clock that was set back',
    [at(AHEAD + 1, 50, 9)],
    [at(2, 51)],
    [at(2, 51)],
  ],
  ['the last point, from the next minute as well', [at(AHEAD, 50)], [at(2, 51)], [at(AHEAD, 50)]],
  [
    'the last point also where both are of a clock that was set back',
    [at(AHEAD + 2, 50)],
    [at(AHEAD + 1, 51)],
    [at(AHEAD + 2, 50)],
  ],
  ['agents that only one of the two knows', [other], [at(1, 50)], [other, at(1, 50)]],
  ['the positions of the owner while Redis is away', 'away', [at(1, 50)], [at(1, 50)]],
  ['those of Redis while nobody owns the organization', [at(1, 50)], undefined, [at(1, 50)]],
  ['no position at all of an organization without any', [], [], []],
] as const)
  test(`a round knows ${what}`, async () => {
    assert.deepEqual(await load(kept, held), known);
  });

for (const [what, kept, held] of [
  ['an owner that does not answer, whose points it would miss', [at(1, 50)], 'away'],
  ['neither an owner nor Redis', 'away', undefined],
] as const)
  test(`a round fails with ${what}`, async () => {
    await assert.rejects(load(kept, held));
  });
