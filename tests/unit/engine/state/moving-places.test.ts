import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takesPlace } from '../../../../engine/org/state/moving-places.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const MOST = LIMITS.movingTasks;
const FEW = LIMITS.movingNewTasks;
const ROOM = { openTasks: FEW - 1, movingTasks: FEW - 1 };
const MANY_OPEN = { openTasks: FEW, movingTasks: FEW };
const FULL = { openTasks: MOST, movingTasks: MOST };
const NEW = { status: 'new', scheduledAt: null } as const;
const LATER = { status: 'new', scheduledAt: '2030-01-01T10:00:00.000Z' } as const;
const ASSIGNED = { status: 'assigned', scheduledAt: null } as const;

for (const [name, task, before, places, takes] of [
  ['a new task gets a place while few are open', NEW, undefined, ROOM, true],
  ['a new task gets none where many are open', NEW, undefined, MANY_OPEN, false],
  ['a new task for later gets none', LATER, undefined, ROOM, false],
  ['a task that begins to wait for somebody gets none', { ...NEW, status: 'awaiting_assignment' }, NEW, ROOM, false],
  ['a task that somebody takes gets one, however many are open', ASSIGNED, NEW, MANY_OPEN, true],
  ['a task for later that somebody takes gets one', { ...LATER, status: 'assigned' }, LATER, MANY_OPEN, true],
  ['a task that somebody takes gets none when all are taken', ASSIGNED, NEW, FULL, false],
  ['a task that somebody has gets one with a later step', { ...ASSIGNED, status: 'in_transit' }, ASSIGNED, ROOM, true],
  ['a change without a step gives none', ASSIGNED, ASSIGNED, ROOM, false],
  ['a task that ends gets none', { ...ASSIGNED, status: 'completed' }, ASSIGNED, ROOM, false],
] as const)
  test(name, () => assert.equal(takesPlace(task, before, places), takes));
