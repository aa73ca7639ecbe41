import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOBS } from '../../schema/jobs.ts';
import { LIMITS } from '../../schema/limits.ts';
import { readPage } from './pages.ts';

/** The sums of docs/operating/running.md, by which operators set `max_connections` of Postgres. */

test('running.md says how many connections to Postgres a gateway and the workers take', () => {
  const { readConnections, pageConnections, exports, actorConnections, leaseConnections, trailConnections } = LIMITS;
  const commitsAndAccess = 2;
  const engine = readConnections + pageConnections + exports + actorConnections + leaseConnections + trailConnections;
  const { logConnections, listConnections, recordReadConnections, administrationReadConnections } = LIMITS;
  const reads = logConnections + listConnections + recordReadConnections + administrationReadConnections;
  const changes = LIMITS.administrationConnections + LIMITS.proofConnections + LIMITS.checkoutConnections;
  const callers = LIMITS.accountConnections + LIMITS.trackingConnections + LIMITS.credentialConnections;
  const gateway = engine + commitsAndAccess + reads + changes + callers + LIMITS.previewsAtOnce * 2;

  const { webhooks: _, 'payment-steps': __, ...jobs } = JOBS;
  const shared = Object.values(jobs).reduce((sum, { concurrency }) => sum + concurrency, 2);
  const { roundConnections, noticeConnections, paymentConnections, webhookStoreConnections } = LIMITS;
  const workers = shared + roundConnections + noticeConnections + paymentConnections + webhookStoreConnections;

  const said = readPage('docs/operating/running.md').match(/a gateway takes up to (\d+),.*workers up to (\d+);/);
  assert.deepEqual(said?.slice(1).map(Number), [gateway, workers]);
});
