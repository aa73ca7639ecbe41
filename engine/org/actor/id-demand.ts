import type { Command } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { CreateTaskInput, TaskInput } from '../../../schema/tasks/create-task.ts';
import type { IdKind } from '../../store/actor/actor-store.ts';
import type { IdDemand } from './id-blocks.ts';

/** Enough for any decision over one task: its places, its packages, its customer. */
const ORDINARY: IdDemand = {
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
/** What was taken, and what goes back at once. */
const MONEY: IdDemand = { ...ORDINARY, payment: 1, transfer: 2 };
const NEW_AGENT: IdDemand = {
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

/** Commands that move money, or may. */
export const MOVES_MONEY: ReadonlySet<Command['kind']> = new Set([
  'pay-task',
  'refund-payment',
  'settle-payment',
  'top-up-wallet',
  // The tasks of agents that collect cash and hand it over.
  'change-task-status',
]);

/** The ids that a decision may take at most. */
export function idDemandOf(command: Command): IdDemand {
  if (command.kind === 'create-task') return command.input.children ? demandOfAll([command.input]) : ORDINARY;
  if (command.kind === 'create-agent') return NEW_AGENT;
  if (MOVES_MONEY.has(command.kind)) return MONEY;
  if (command.kind === 'propose-offers') return { ...ORDINARY, assignment_request: command.offers.length };
  if (command.kind !== 'create-tasks') return ORDINARY;
  return demandOfAll(command.items.flatMap((item) => ('input' in item ? item.input : [])));
}

function demandOfAll(inputs: readonly CreateTaskInput[]): IdDemand {
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
