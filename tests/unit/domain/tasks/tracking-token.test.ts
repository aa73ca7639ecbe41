import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findTrackingToken, trackingTokenOf } from '../../../../engine/domain/tasks/tracking-token.ts';

const SEED = 20_261_122;

const secrets = fc.stringMatching(/^[A-Za-z0-9_-]{22}$/);
const ids = fc.integer({ min: 1, max: 2 ** 48 - 1 });

test('a token names its task and its secret, for any values of both', () => {
  fc.assert(
    fc.property(ids, ids, secrets, (organizationId, taskId, secret) => {
      const token = trackingTokenOf({ organizationId, id: taskId, trackingToken: secret });
      assert.match(token, /^[A-Za-z0-9_-]{38}$/);
      assert.deepEqual(findTrackingToken(token), { organizationId, taskId, secret });
    }),
    { seed: SEED },
  );
});

test('tokens of neighbours have nothing in common that tells so', () => {
  const tokens = ['kz3Gd9_aWq0LmT5xYbN1cE', 'P7r-VuHs2JfQ8oDiKw4ZgA'].map((trackingToken, index) =>
    trackingTokenOf({ organizationId: 1, id: 1 + index, trackingToken }),
  );
  const [one, other] = tokens.map((token) => [...token]);
  assert.ok(one!.filter((letter, index) => letter === other![index]).length <= 3, tokens.join(' '));
});

test('a malformed token is no token', () => {
  for (const text of [
    undefined,
    '',
    '1-1-kz3Gd9_aWq0LmT5xYbN1cE',
    'A'.repeat(31),
    'A'.repeat(81),
    `${'A'.repeat(37)}!`,
  ])
    assert.equal(findTrackingToken(text), undefined, text);
});
