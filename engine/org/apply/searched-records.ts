import type { Belongings } from '../../domain/tasks/task-filter.ts';
import type { Change } from '../state/changes.ts';
import type { OrgState } from '../state/org-state.ts';
import type { TaskFacts } from '../state/state-view.ts';
import type { TaskChange } from './org-batch.ts';

/** The records beside a task before and after a change that has just been applied. */
export function belongingsOf(
  state: OrgState,
  taskId: number,
  before: TaskFacts | undefined,
): NonNullable<TaskChange['belongings']> {
  return { before: before && of(state, before), after: of(state, state.findTask(taskId)!) };
}

function of(state: OrgState, { task, location, packages }: TaskFacts): Belongings {
  const customer = task.customerId === null ? undefined : state.findCustomer(task.customerId);
  return { customer: customer ?? null, location, packages };
}

/**
 * Whether a change that is about to be applied moves what a search finds of tasks that do not change themselves: another
 * name or phone of a customer, another barcode, or a package that leaves its task.
 */
export function blursTextSearches(state: OrgState, change: Change): boolean {
  if (change.kind === 'put-package') {
    const { record, leaves } = change;
    return record.version > 1 && (leaves !== null || state.findPackage(record.id)?.record.barcode !== record.barcode);
  }
  if (change.kind !== 'put-customer' || change.customer.version === 1) return false;
  const { id, firstName, lastName, phoneE164 } = change.customer;
  const before = state.findCustomer(id);
  return before?.firstName !== firstName || before.lastName !== lastName || before.phoneE164 !== phoneE164;
}
