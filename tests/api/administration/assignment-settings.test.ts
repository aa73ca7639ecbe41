import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationView } from '../../../schema/accounts/organization.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway({ organization: { role: 'org_admin' } });

const change = (settings: unknown) =>
  fixture.api.patch<OrganizationView>(`/organizations/${fixture.gateway.organizationId}`, { settings });

test('the assignment settings are kept as they were sent, without unknown fields', async () => {
  const assignment = {
    mode: 'broadcast',
    batchingWindowMs: 0,
    maxDistanceM: 5_000,
    maxTasksPerAgent: 3,
    requestTtlSeconds: 45,
    maxAttempts: 4,
    autoAccept: false,
    searchTimeoutSeconds: 600,
  };
  const { status, body } = await change({
    assignment: { ...assignment, externalCouriers: null, colour: 'red' },
    leadMinutes: 0,
    own: { a: 1 },
  });
  assert.equal(status, 200);
  assert.deepEqual(body.data.settings, { assignment, leadMinutes: 0, own: { a: 1 } });
  const changed = await change({ assignment: { autoAccept: true, maxAttempts: null } });
  const { maxAttempts: _, ...others } = assignment;
  const after = { ...others, autoAccept: true };
  assert.deepEqual(changed.body.data.settings, { assignment: after, leadMinutes: 0, own: { a: 1 } });
  const without = await change({ assignment: null, leadMinutes: null });
  assert.deepEqual(without.body.data.settings, { own: { a: 1 } });
});

test('settings that no search could follow are refused, with all violations at once', async () => {
  const { status, body } = await change({
    assignment: {
      mode: 'auction',
      batchingWindowMs: -1,
      maxDistanceM: 0.5,
      maxTasksPerAgent: '5',
      requestTtlSeconds: 4,
      maxAttempts: 101,
      autoAccept: 'yes',
      searchTimeoutSeconds: 1,
      externalCouriers: 1,
    },
    leadMinutes: LIMITS.leadMinutes + 1,
  });
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'settings.assignment.mode must be one of sequential, broadcast',
    'settings.assignment.batchingWindowMs must be an integer from 0 to 60000',
    'settings.assignment.maxDistanceM must be an integer from 1 to 1000000',
    'settings.assignment.maxTasksPerAgent must be a number',
    'settings.assignment.requestTtlSeconds must be an integer from 5 to 3600',
    'settings.assignment.maxAttempts must be an integer from 1 to 100',
    'settings.assignment.autoAccept must be a boolean',
    'settings.assignment.searchTimeoutSeconds must be an integer from 10 to 86400',
    'settings.assignment.externalCouriers must be a boolean',
    `settings.leadMinutes must be an integer from 0 to ${LIMITS.leadMinutes}`,
  ]);
  for (const [settings, violation] of [
    [{ assignment: [] }, 'settings.assignment must be an object'],
    [{ assignment: 'broadcast' }, 'settings.assignment must be an object'],
    [{ leadMinutes: '30' }, 'settings.leadMinutes must be a number'],
    [{ leadMinutes: 1.5 }, `settings.leadMinutes must be an integer from 0 to ${LIMITS.leadMinutes}`],
    [[], 'settings must be an object'],
    [7, 'settings must be an object'],
  ] as const)
    assert.deepEqual((await change(settings)).body.message, [violation]);
});
