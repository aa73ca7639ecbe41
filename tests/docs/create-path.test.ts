import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { test } from 'node:test';
import { useGateway } from '../api/api-fixture.ts';
import { taskInput } from '../support/api-client.ts';
import { readPage } from './pages.ts';

const fixture = useGateway();

/** They run at the start and return the function that runs for each request. */
const FACTORIES: ReadonlySet<string> = new Set([
  'createTransportGuard',
  'createAuthenticator',
  'createTaskSchema',
  'taskRoutes',
  'startQuotas',
]);

test('one create runs the function of each stop on the path of a create in ARCHITECTURE.md', async () => {
  const text = readPage('ARCHITECTURE.md');
  const path = text.slice(text.indexOf('## The path of a create'), text.indexOf('## Ownership'));
  const stops = [...path.matchAll(/^\d+\. `([^`]+\.ts)` `([^`]+)` /gm)];
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  assert.equal((await fixture.api.post('/tasks', taskInput())).status, 201);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();

  const missed = stops.filter(([, file, name]) => {
    const ran = result
      .filter(({ url }) => url.endsWith(file!))
      .flatMap(({ functions }) => functions.filter(({ ranges }) => ranges[0]!.count > 0));
    return !ran.some(({ functionName }) => FACTORIES.has(name!) || functionName === name);
  });
  assert.deepEqual(
    missed.map(([stop]) => stop),
    [],
  );
});
