import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendOverHttp } from '../../faults/support/journaled-load.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { ContractBreach } from '../../support/contract/check-contract.ts';
import type { Operation } from '../../support/journal.ts';

const OPERATION: Operation = { key: 'one', organizationId: 1, kind: 'create' };

function sendThrough(post: ApiClient['post']) {
  const client = { ...createApiClient({ baseUrl: 'http://127.0.0.1:1', key: 'key' }), post };
  return sendOverHttp(() => [client])(OPERATION, 0);
}

test('a load takes no answer for an unknown outcome, and throws what breaks the contract', async () => {
  assert.deepEqual(await sendThrough(failWith(new Error('cut'))), { kind: 'unknown', why: 'cut' });
  const breach = new ContractBreach('POST /tasks answered 299');
  await assert.rejects(sendThrough(failWith(breach)), breach);
  const differing = new assert.AssertionError({ message: 'the client took 500 for a success' });
  await assert.rejects(sendThrough(failWith(differing)), differing);
});

function failWith(error: Error): ApiClient['post'] {
  return () => Promise.reject(error);
}
