import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCrashableSystem } from '../support/system/crashable-system.ts';
import { crashGateway, crashPostgres, surviveCrashes } from './support/surviving-load.ts';

/** A third is answered before the crash: more than the connections, so each connection is in use. */
const TASKS = 240;

test('a gateway killed with -9 under 64 connections loses and doubles nothing, on streams neither', async () => {
  const system = await startCrashableSystem({ organizations: 3 });
  await assert.doesNotReject(surviveCrashes(system, { tasks: TASKS, crashes: 1, crash: crashGateway }));
});

test('a Postgres killed with -9 under 64 connections loses and doubles nothing, on streams neither', async () => {
  const system = await startCrashableSystem({ organizations: 3, ownPostgres: true });
  await assert.doesNotReject(surviveCrashes(system, { tasks: TASKS, crashes: 1, crash: crashPostgres }));
});
