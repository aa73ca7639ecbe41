import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { scopeOf } from '../../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../../schema/limits.ts';

/** Postgres refuses a longer entry of an index, however little of it is in the scope. */
const INDEX_ENTRY_BYTES = 2_704;

test('the scope of a target of any length fits into an index, and stays its own', () => {
  const targets = Array.from({ length: 20 }, () => `/v1/t/${randomBytes(LIMITS.urlBytes).toString('base64url')}`);
  const scopes = targets.map((target) => scopeOf('channel:9007199254740991', 'POST', target.slice(0, LIMITS.urlBytes)));
  for (const scope of scopes) assert.ok(scope.length + LIMITS.idempotencyKeyChars < INDEX_ENTRY_BYTES);
  assert.equal(new Set(scopes).size, targets.length);
});

test('the scope of a short target shows it', () => {
  assert.equal(scopeOf('user:1', 'PUT', '/v1/tasks/1/status'), 'user:1 PUT /v1/tasks/1/status');
});
