import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trackingTokenOf } from '../../../../engine/domain/tasks/tracking-token.ts';
import { RefusalError } from '../../../../gateway/refusal-error.ts';
import { TrackingLinks } from '../../../../gateway/tracking/tracking-links.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { TrackingToken } from '../../../../schema/tasks/tracking.ts';

const SECRET = 'A'.repeat(22);
const LINKED = { organizationId: 1, taskId: 2, secret: SECRET };
const TOKEN = tokenAt(2);

function tokenAt(id: number): string {
  return trackingTokenOf({ organizationId: 1, id, trackingToken: SECRET });
}

/** Links whose look-ups are counted, and answered when the test says so. */
function watched(answer: () => Promise<boolean>) {
  const asked: TrackingToken[] = [];
  const links = new TrackingLinks((token) => {
    asked.push(token);
    return answer();
  });
  return { links, asked };
}

test('a link is looked for once, however many ask at a time, and then known', async () => {
  const { links, asked } = watched(async () => true);
  assert.deepEqual(await Promise.all([links.find(TOKEN), links.find(TOKEN)]), [LINKED, LINKED]);
  assert.deepEqual(await links.find(TOKEN), LINKED);
  assert.deepEqual(asked, [LINKED]);
});

test('an unknown link, and one that could not be looked up, is looked up again', async () => {
  let found = false;
  const { links, asked } = watched(async () => {
    if (asked.length === 1) throw new Error('Postgres is away');
    return found;
  });
  await assert.rejects(links.find(TOKEN), /away/);
  assert.equal(await links.find(TOKEN), undefined);
  found = true;
  assert.deepEqual(await links.find(TOKEN), LINKED);
  assert.equal(asked.length, 3);
});

test('a malformed token is not looked up', async () => {
  const { links, asked } = watched(async () => true);
  const none = ['', SECRET, `${TOKEN}'`, `${TOKEN} `, `${TOKEN}${'A'.repeat(43)}`, TOKEN.slice(0, 31)];
  for (const text of [undefined, ...none]) {
    assert.equal(await links.find(text), undefined);
  }
  assert.deepEqual(asked, []);
});

test('past the bound of look-ups at a time one more is refused', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { links } = watched(() => held.then(() => true));
  const waiting = Array.from({ length: LIMITS.trackingLookups }, (_, index) => links.find(tokenAt(index + 3)));
  await assert.rejects(
    links.find(TOKEN),
    (error) => error instanceof RefusalError && error.refusal.code === 'OVERLOADED',
  );
  release();
  await Promise.all(waiting);
  assert.deepEqual(await links.find(TOKEN), LINKED);
});
