import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from '../../../../support/system/page-globals.ts';

openPage({ postMessage() {} });
// By names that the compiler does not follow: it checks the tests without the types of a browser.
const [pathOfLink, pathOfState, pathOfImport] = ['page/link.ts', 'page/state.ts', 'import/import-state.ts'].map(
  (path) => new URL(`../../../../../gateway/console/${path}`, import.meta.url).href,
);
const { caller } = await import(pathOfLink!);
const { nowMs } = await import(pathOfState!);
const { judgedLines, openTable } = await import(pathOfImport!);

const TABLE = `customer,phone,address,lat,lng,not after
Ada,+44 20 7946 0001,Low St 1,51.5,-0.13,14:30`;

test('the lines of a table are judged again in another zone and on another day, and stay the same otherwise', () => {
  const moveTo = (timeZone: string) => {
    caller.value = { organization: { timeZone } };
  };
  const windowEnd = () => judgedLines.value[0].order.windowEnd;
  moveTo('UTC');
  nowMs.value = Date.parse('2031-05-01T08:00:00Z');
  assert.equal(openTable(TABLE), undefined);
  assert.equal(windowEnd(), '2031-05-01T14:30:00.000Z');
  const before = judgedLines.value[0].order;
  nowMs.value += 1_000;
  assert.equal(judgedLines.value[0].order, before, 'a second later');
  moveTo('Europe/Berlin');
  assert.equal(windowEnd(), '2031-05-01T12:30:00.000Z');
  nowMs.value = Date.parse('2031-05-01T21:59:59Z');
  assert.equal(windowEnd(), '2031-05-01T12:30:00.000Z');
  nowMs.value += 1_000;
  assert.equal(windowEnd(), '2031-05-02T12:30:00.000Z');
});
