import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashGateway, crashPostgres, surviveCrashes } from '../../faults/support/surviving-load.ts';
import { startCrashableSystem } from '../../support/system/crashable-system.ts';

const TASKS = 10_000;

test('a gateway killed five times with -9 amid 10,000 creates loses and doubles nothing', async () => {
  const system = await startCrashableSystem({ organizations: 8 });
  await assert.doesNotReject(surviveCrashes(system, { tasks: TASKS, crashes: 5, crash: crashGateway }));
});

test('a Postgres killed five times with -9 amid 10,000 creates loses and doubles nothing', async () => {
  const system = await startCrashableSystem({ organizations: 8, ownPostgres: true });
  await assert.doesNotReject(surviveCrashes(system, { tasks: TASKS, crashes: 5, crash: crashPostgres }));
});
