import type { Command } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { SeededOrganization } from '../../support/seeds/seed.ts';
import { callerOf, createCommand } from './engine-fixture.ts';

/** More tasks than fit into one batch of rows: no other command joins them. */
export const FULL_BATCH_TASKS = LIMITS.batchTasks;

/** A command whose tasks fill a batch. */
export function fullBatch(organization: SeededOrganization, name = 'item'): Extract<Command, { kind: 'create-tasks' }> {
  const caller = callerOf(organization);
  const items = Array.from({ length: FULL_BATCH_TASKS }, (_, index) => {
    const { input } = createCommand(`${name}-${index}`, caller) as Extract<Command, { kind: 'create-task' }>;
    return { input };
  });
  const facts = { correlationId: 'test', canonicalPath: '/v1/tasks/batch', method: 'POST' };
  return { kind: 'create-tasks', caller, items, atomic: false, facts };
}
