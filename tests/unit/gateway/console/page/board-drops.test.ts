import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  canBeAssigned,
  canBeGivenTo,
  canBeLookedFor,
  canBeTakenBack,
} from '../../../../../gateway/console/board/drop-rules.ts';
import type { TaskRow } from '../../../../../gateway/console/live/protocol.ts';

const COURIER = 7;

test('a column takes what the engine does not refuse, and no card that is in it', () => {
  const table: readonly (readonly [status: TaskRow['status'], shown: TaskRow['shown'], taken: string])[] = [
    ['new', 'new', 'looked-for assigned given'],
    ['new', 'awaiting_assignment', 'assigned given'],
    ['awaiting_assignment', 'awaiting_assignment', 'assigned given'],
    ['awaiting_assignment', 'nobody', 'looked-for assigned given'],
    ['awaiting_assignment', 'unassigned', 'looked-for assigned given'],
    ['assigned', 'assigned', 'back given'],
    ['accepted', 'accepted', 'back assigned given'],
    ['in_transit', 'in_transit', 'assigned given'],
    ['completed', 'failed', ''],
    ['cancelled', 'cancelled', ''],
  ];
  for (const [status, shown, taken] of table) {
    const row = { status, shown, agentId: COURIER + 1 };
    const found = {
      back: canBeTakenBack(row),
      'looked-for': canBeLookedFor(row),
      assigned: canBeAssigned(row),
      given: canBeGivenTo(COURIER)(row),
    };
    const names = Object.entries(found).flatMap(([name, isTaken]) => (isTaken ? [name] : []));
    assert.equal(names.join(' '), taken, `${status} ${shown}`);
  }
  assert.ok(!canBeGivenTo(COURIER)({ status: 'accepted', shown: 'accepted', agentId: COURIER }));
});
