import type { TaskAction } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { CreateTaskInput, TaskInput } from '../../../schema/tasks/create-task.ts';
import type { IdKind } from '../../store/actor/actor-store.ts';

/** How many ids of each kind a decision may take. */
export type IdDemand = Readonly<Record<IdKind, number>>;

/** Enough for any decision over one task: its places, its packages, its customer. */
export const ORDINARY: IdDemand = {
  task: 1,
  customer: 1,
  user: 1,
  location: 2,
  package: LIMITS.listItems,
  warehouse: 1,
  agent: 0,
  assignment_request: 0,
  payment: 0,
  transfer: 0,
};
/** Enough for a payment: its booking, and the change that goes back at once. */
export const MONEY: IdDemand = { ...ORDINARY, payment: 1, transfer: 2 };
/** Enough for an agent with its user. */
export const NEW_AGENT: IdDemand = {
  task: 0,
  customer: 0,
  user: 1,
  location: 0,
  package: 0,
  warehouse: 0,
  agent: 1,
  assignment_request: 0,
  payment: 0,
  transfer: 0,
};

/** Enough for tasks that are created together, children included. */
export function demandOfTasks(inputs: readonly CreateTaskInput[]): IdDemand {
  const demand: Record<IdKind, number> = { ...ORDINARY };
  const add = (input: TaskInput) => {
    demand.task += 1;
    demand.customer += 1;
    demand.user += 1;
    demand.location += 2;
    demand.package += input.packages?.length ?? 0;
  };
  for (const input of inputs) {
    add(input);
    for (const child of input.children ?? []) add(child);
  }
  return demand;
}

/** Enough for actions on many tasks: only amendments make anything, which is places. */
export function demandOfActions(actions: readonly TaskAction[]): IdDemand {
  const places = actions.filter(({ kind }) => kind === 'amend-task').length * ORDINARY.location;
  return { ...NEW_AGENT, user: 0, warehouse: 0, agent: 0, location: places };
}
