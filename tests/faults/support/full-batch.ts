import type { Caller, Command } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { SeededOrganization } from '../../support/seeds/seed.ts';
import { callerOf, createCommand } from './engine-fixture.ts';

/** More tasks than fit into one batch of rows: no other command joins them. */
export const FULL_BATCH_TASKS = LIMITS.batchTasks;

type Items = Extract<Command, { kind: 'create-tasks' }>['items'];

/** By their names: so many inputs take long to check. */
const inputs = new Map<string, Items>();

/** A command whose tasks fill a batch. */
export function fullBatch(organization: SeededOrganization, name = 'item'): Extract<Command, { kind: 'create-tasks' }> {
  const caller = callerOf(organization);
  const items = inputs.get(name) ?? makeItems(name, caller);
  inputs.set(name, items);
  const facts = { correlationId: 'test', canonicalPath: '/v1/tasks/batch', method: 'POST' };
  return { kind: 'create-tasks', caller, items, atomic: false, facts };
}

function makeItems(name: string, caller: Caller): Items {
  return Array.from({ length: FULL_BATCH_TASKS }, (_, index) => {
    const { input } = createCommand(`${name}-${index}`, caller) as Extract<Command, { kind: 'create-task' }>;
    return { input };
  });
}
