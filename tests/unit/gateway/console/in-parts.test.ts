import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inParts } from '../../../../gateway/console/records/in-parts.ts';
import { LIMITS } from '../../../../schema/limits.ts';

test('an action on more tasks than one call takes goes in several, each task once', () => {
  const ids = Array.from({ length: 2 * LIMITS.actionTasks + 1 }, (_, at) => at + 1);
  assert.deepEqual(
    inParts(ids).map(({ length }) => length),
    [LIMITS.actionTasks, LIMITS.actionTasks, 1],
  );
  assert.deepEqual(inParts(ids).flat(), ids);
  assert.deepEqual(inParts([]), []);
});
