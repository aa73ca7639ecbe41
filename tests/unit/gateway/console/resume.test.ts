import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Resume } from '../../../../gateway/console/live/resume.ts';

const BACK_AT = 1_000_000;

test('a resume tells what was missed after a pause, and beside work that never pauses', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const told: number[] = [];
    const calm = new Resume(BACK_AT, (missed) => told.push(missed));
    calm.count(BACK_AT - 30_000);
    calm.count(BACK_AT);
    mock.timers.tick(500);
    calm.count(BACK_AT - 1);
    mock.timers.tick(500);
    assert.equal(told.length, 0);
    mock.timers.tick(500);
    assert.deepEqual(told, [3]);
    calm.count(BACK_AT - 2);
    calm.count(BACK_AT + 1);

    const busy = new Resume(BACK_AT, (missed) => told.push(missed));
    busy.count(BACK_AT - 1);
    for (let event = 1; event < 10; event++) {
      busy.count(BACK_AT + event);
      mock.timers.tick(100);
    }
    assert.deepEqual(told, [3, 1]);
    mock.timers.tick(10_000);
    assert.deepEqual(told, [3, 1], 'it reports each once');

    new Resume(BACK_AT, (missed) => told.push(missed));
    mock.timers.tick(1_000);
    assert.deepEqual(told, [3, 1, 0]);
  } finally {
    mock.timers.reset();
  }
});
