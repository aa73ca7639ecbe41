import { type Mutation, mutationsOf } from '../mutation.ts';

const TASKS = 'engine/domain/tasks/';

/** Faults in the state machines of tasks, packages and jobs. */
export const MACHINES: readonly Mutation[] = [
  ...mutationsOf(
    `${TASKS}task-machine.ts`,
    [
      'unit/domain/tasks/judge-status-change',
      'unit/domain/tasks/task-rules',
      'unit/domain/assignment/judge-assignment',
      'unit/engine/decide/decide-table',
    ],
    [
      [
        "accepted: ['awaiting_assignment', 'in_",
        "accepted: ['awaiting_assignment', 'completed', 'in_",
        'A task is completed only when it is under way.',
      ],
      ["in_transit: ['completed', 'cancelled']", "in_transit: ['completed']", 'A task under way can be cancelled.'],
      [
        "new Set(['accepted', 'in_transit', 'completed'])",
        "new Set(['accepted', 'in_transit'])",
        'A repeated completion changes nothing.',
      ],
      [
        '(task.agentId !== null && task.agentId === caller.agentId)',
        'task.agentId === caller.agentId',
        'An agent without a record sees no task.',
      ],
      ["caller.role !== 'agent' || (task", 'task.agentId !== -1 || (task', 'An agent sees its own tasks only.'],
      [
        "  if (to === NEVER_BY[caller.role]) return { kind: 'forbidden' };\n  if (!task || !maySee(task, caller)) return { kind: 'not-found' };",
        "  if (!task || !maySee(task, caller)) return { kind: 'not-found' };\n  if (to === NEVER_BY[caller.role]) return { kind: 'forbidden' };",
        'A refusal of the role does not tell which ids exist.',
      ],
      [
        "if (isJob(task) && to !== 'cancelled') return refuse(",
        "if (isJob(task) && to === 'completed') return refuse(",
        'The status of a job follows from its children.',
      ],
      [
        "to === 'in_transit' && task.agentId === null && task.courierId === null",
        "to === 'in_transit' && task.agentId === null",
        'A task of an external courier can set out.',
      ],
      [
        "EDITABLE: readonly TaskStatus[] = ['new', 'awaiting_assignment']",
        "EDITABLE: readonly TaskStatus[] = ['new', 'awaiting_assignment', 'assigned']",
        'An assigned task cannot be edited.',
      ],
      [
        "return agent.isActive ? { kind: 'change' }",
        "return agent.id ? { kind: 'change' }",
        'An inactive agent gets no tasks.',
      ],
      ['assignedAt: at, ...UNVISITED, pickedUpAt: null };', 'assignedAt: at };', 'A new agent has not arrived yet.'],
      [
        'return occurredAt < previous ?',
        'return occurredAt <= previous ?',
        'Two steps may have happened at the same moment.',
      ],
    ],
  ),
  ...mutationsOf(
    `${TASKS}package-machine.ts`,
    ['unit/domain/tasks/package-machine', 'unit/engine/decide/decide-payments'],
    [
      ['  delivered: [],', "  delivered: ['returned'],", 'A delivered package stays with the customer.'],
      [
        "IN_CUSTODY.has(status) && status !== 'damaged')",
        'IN_CUSTODY.has(status))',
        'A damaged package is not delivered by the end of its task.',
      ],
      ['return hasAmount && paying ?', 'return paying ?', 'Payment steps need an amount.'],
      [
        "(status === 'delivering' && method === 'cash')",
        "status === 'delivering'",
        'Only cash at the door skips the step before.',
      ],
      [
        "return IN_CUSTODY.has(status) ? 'returned' : status;",
        "return IN_CUSTODY.has(status) ? 'cancelled' : status;",
        'A package in custody goes back to its sender.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/tasks/change-package-status.ts',
    ['unit/engine/decide/decide-table'],
    [
      [
        'hasAmount: facts.task.amountMinor !== null',
        'hasAmount: true',
        'Payment steps ask for the amount of the task.',
      ],
      ["caller.role === 'agent' && !(facts", 'caller.agentId === -1 && !(facts', 'A package of others is unknown.'],
      [
        "  if (verdict.kind === 'refused') return refuse(verdict.refusal);\n",
        '',
        'A step that the machine refuses is not made with a package.',
      ],
      [
        "caller.role === 'agent' && isOnlyOffered(facts.task)",
        'caller.agentId === -1 && isOnlyOffered(facts.task)',
        'An agent moves no package of a task that it was only asked to take.',
      ],
    ],
  ),
  ...mutationsOf(
    `${TASKS}task-machine.ts`,
    ['unit/domain/assignment/judge-assignment', 'unit/domain/tasks/judge-status-change'],
    [
      [
        "assigned: ['awaiting_assignment', 'accepted', 'cancelled'],",
        "assigned: ['awaiting_assignment', 'assigned', 'accepted', 'cancelled'],",
        'A task is taken back before another agent gets it.',
      ],
      [
        "if (task.status !== 'new' || isJob(task)) return checkStep(task, to);",
        'return checkStep(task, to);',
        'A task that nobody has is taken from nobody.',
      ],
    ],
  ),
  ...mutationsOf(
    `${TASKS}job.ts`,
    ['unit/domain/tasks/job'],
    [
      [
        "return statuses.has('completed') ? 'in_transit' : open.at(-1)!;",
        'return open.at(-1)!;',
        'A job with a completed child is under way.',
      ],
      [
        "return statuses.has('completed') ? 'completed' : 'cancelled';",
        "return statuses.has('cancelled') ? 'cancelled' : 'completed';",
        'One cancelled child does not cancel a job.',
      ],
      [
        'completedAt ?? cancelledAt)).at(-1)',
        'completedAt)).at(-1)',
        'A job whose last open child is cancelled ends then.',
      ],
      ['if (failed === 0) return', 'if (failed < completed.length) return', 'One failed child fails the job.'],
      ['if (parent.parentId !== null) return', 'if (parent.parentId === -1) return', 'Jobs have one level.'],
      [
        '+ wanted > LIMITS.jobChildren',
        '+ wanted >= LIMITS.jobChildren',
        'A job takes as many children as the limit says.',
      ],
    ],
  ),
  ...mutationsOf(
    `${TASKS}pickup.ts`,
    ['unit/engine/decide/pick-up-task'],
    [['childIds === null && ', '', 'A job is not picked up with a package.']],
  ),
  ...mutationsOf(
    `${TASKS}task-deadline.ts`,
    ['unit/domain/tasks/delay'],
    [
      [
        'delay !== null && delay < search ? delay',
        'delay !== null && delay > search ? delay',
        'The earliest timer of a task wakes its actor.',
      ],
    ],
  ),
];
