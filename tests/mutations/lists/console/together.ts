import { type Mutation, mutationsOf } from '../../mutation.ts';

/** Faults in what people do together in the console. */
export const TOGETHER: readonly Mutation[] = [
  ...mutationsOf(
    'gateway/console/records/still-with.ts',
    ['unit/gateway/console/records/still-with'],
    [['ids.filter((id) => held.has(id))', 'ids', 'Undo leaves a task that a colleague has given to another courier.']],
  ),
  ...mutationsOf(
    'gateway/console/records/acted-on.ts',
    ['unit/gateway/console/records/acted-on'],
    [
      ['refused.length > 0 && asked > 1', '!failure && refused.length > 0 && asked > 1', 'A failure hides no reason.'],
      ['failure ? asked - done - refused.length : 0', '0', 'The tasks of a failed call are counted.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/actions/act.ts',
    ['unit/gateway/console/actions/act'],
    [['...refusals.peek(), { key', '{ key', 'One action does not wipe what was refused to another.']],
  ),
  ...mutationsOf(
    'gateway/console/actions/dialog-state.ts',
    ['unit/gateway/console/actions/act'],
    [
      [
        'dialog.value === null ? refusals.value[0] : undefined',
        'refusals.value[0]',
        'What was refused covers no dialog in which something is typed.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/console/attention/remedies.ts',
    ['unit/gateway/console/records/acted-on'],
    [['of inParts(taskIds))', 'of [taskIds])', 'One call takes back no more tasks than the API does.']],
  ),
  ...mutationsOf(
    'gateway/console/records/task-payments.ts',
    ['unit/gateway/console/records/task-payments'],
    [
      ['paymentId !== null && ', 'paymentId === 0 && ', 'A task that was attempted again shows how it was paid.'],
      ['hasMore = answer.data.nextCursor !== null;', '', 'The panel says that there are more payments than it shows.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/couriers/read-plan.ts',
    ['unit/gateway/console/records/read-plan'],
    [
      ['if (inParts(taskIds).length > 1)', 'if (false)', 'A choice for too many tasks for a plan says so in words.'],
      ['ids.filter((id) => !taken.has(id))', 'ids', 'The choice for a task on its way shows no refusal of a plan.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/settings/own-changes.ts',
    ['unit/gateway/console/settings/own-changes'],
    [
      [
        'value !== began[name as keyof Form]',
        'name in began',
        'What another administrator has saved meanwhile stays as it was saved.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/parts/page-port.ts',
    ['unit/gateway/console/parts/page-port'],
    [
      [
        ' || this.#core?.records.tasks.get(taskId)?.view.paymentId === payment.id',
        '',
        'A refund shows on the task that was attempted again.',
      ],
      ['if (isOfTask) this.#paymentNews += 1;', '', 'The panel reads payments again when one of them has changed.'],
      ['WITH_COURIER.has(', '!WITH_COURIER.has(', 'A task on its way is handed over without a plan.'],
      [
        'takerOf(tasks.get(id)!.view) !== null',
        'false',
        'A task out of sight that has a courier is reassigned, not assigned.',
      ],
      ['agentId ?? courierId ?? null', 'agentId', 'A task of an external courier is reassigned, not assigned.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/parts/list-view.ts',
    ['unit/gateway/console/parts/list-of-today'],
    [['isByColumn ? shown : [shown.flat()]', '[shown.flat()]', 'A range on the board stays in its column.']],
  ),
];
