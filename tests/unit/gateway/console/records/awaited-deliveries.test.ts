import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleModule } from '../../../../support/system/console-module.ts';
import { openPage } from '../../../../support/system/page-globals.ts';

openPage();
const { computed, isAwaited, nowMs } = await consoleModule(`
  export { computed } from '@preact/signals';
  export { nowMs } from './page/state.ts';
  export { isAwaited } from './webhooks/is-awaited.ts';
`);

test('a delivery whose next attempt was far away is read again once its time comes near', () => {
  const start = Date.parse('2031-05-01T08:00:00Z');
  nowMs.value = start;
  const waiting = { state: 'pending', nextAttemptAt: '2031-05-01T08:02:00Z' };
  const awaited = computed(() => isAwaited(waiting));
  assert.equal(awaited.value, false);
  nowMs.value = start + 95_000;
  assert.equal(awaited.value, true);
  assert.equal(isAwaited({ state: 'pending', nextAttemptAt: null }), true);
  assert.equal(isAwaited({ state: 'failed', nextAttemptAt: null }), false);
});
