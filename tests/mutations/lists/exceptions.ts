import { type Mutation, mutationsOf } from '../mutation.ts';

const DECISIONS = [
  'unit/engine/decide/reassign-task',
  'unit/engine/decide/reattempt-task',
  'unit/engine/decide/amend-task',
];

/** Faults in amending, reassigning and reattempting tasks, and in actions on many of them. */
export const EXCEPTIONS: readonly Mutation[] = [
  ...mutationsOf(
    'engine/domain/tasks/exceptions.ts',
    [...DECISIONS, 'api/exceptions/reassign'],
    [
      [
        '(fromStatus != null && fromStatus !== status)',
        'false',
        'A reassignment from a status that has passed is refused.',
      ],
      [
        'fromAgentId != null && fromAgentId !== agentId',
        'fromAgentId === -1',
        'A reassignment from an agent that has lost the task is refused.',
      ],
      [
        "if (agentId === agent.id && task.search === null) return { kind: 'unchanged' };",
        '',
        'A reassignment to the agent that has the task changes nothing.',
      ],
      ["role !== 'agent' && role !== 'integration'", "role !== 'agent'", 'Integrations handle no exceptions.'],
      [
        'keepsStatus ? { status, assignedAt: now }',
        "status !== 'assigned' ? { status, assignedAt: now }",
        'Goods that changed hands stay picked up, also before the new agent has accepted.',
      ],
      ["acceptedAt: status === 'assigned' ? null : now", 'acceptedAt: null', 'A task that goes on is accepted.'],
      [
        'if (!isTerminal(status)) return undefined;',
        'if (mayUpdate(status)) return undefined;',
        'A task is amended in the hands of its courier.',
      ],
      [
        "if (nextTaskId !== null) return refusal('TASK_ALREADY_REATTEMPTED', undefined, { nextTaskId });",
        '',
        'A task is reattempted once.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/exceptions/reassign-task.ts',
    ['unit/engine/decide/reassign-task'],
    [
      [
        "before.agentId === agent.id ? 'withdrawn' : 'taken'",
        "'taken'",
        'An agent that is given the task it was asked about has lost it to nobody.',
      ],
      ['isSame ? null : before.agentId', 'before.agentId', 'Nobody hears that a task was taken from its own agent.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/exceptions/amend-task.ts',
    ['unit/engine/decide/amend-task'],
    [
      ['tellRisk(draft, before, task);', '', 'An amendment that makes a task late warns at once.'],
      [
        'visitsAt(placesElsewhere(facts, input, places), before)',
        'visitsAt(places, before)',
        'A place with other words alone keeps its visits.',
      ],
      [' && !isAboard ?', ' ?', 'A new pickup place leaves the ETA of what is aboard.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/steps/family-size.ts',
    ['unit/engine/batch-text'],
    [
      ['owners.add(found.owner.id)', 'owners.has(found.owner.id)', 'The tasks that packages leave count in a batch.'],
      ['input.parentId ? shownChars(state, input.parentId) : 0', '0', 'Jobs that get a child count in a batch.'],
      ['else if (found) chars += packageChars(found.record);', '', 'Packages that move count in a batch.'],
      ['charsBesideBody(draft, input) > limitChars', 'false', 'Tasks that packages leave count for one new task.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/batch-text.ts',
    ['unit/engine/batch-text'],
    [
      [
        '[task, ...(task.children ?? [])].flatMap((one) => one.packages)',
        'task.packages',
        'Packages of kept answers count in a batch that shows them again.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/decide-batch.ts',
    ['api/tasks/batch.test'],
    [
      [
        'if (isTooLong(tools.state, command, nowMs)) return',
        'if (false) return',
        'A batch never repeats more text than one commit bears.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/steps/new-location.ts',
    ['unit/engine/decide/amend-task'],
    [
      [
        'shownCoordinate(one[axis]) === shownCoordinate(other[axis])',
        'one[axis] === other[axis]',
        'A place that is sent back as answers show it has not moved.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/tasks/note-arrival.ts',
    ['unit/engine/decide/note-arrival'],
    [
      [' <= LIMITS.arrivalLeaveRadiusM', ' >= 0', 'An arrival at the old place is none at the amended one.'],
      [
        'isPickup ? facts.pickupLocation : facts.location',
        'facts.location',
        'An arrival at the pickup is judged by the pickup.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/domain/tasks/package-machine.ts',
    ['unit/engine/decide/reattempt-task'],
    [
      [' && !wasCancelledBefore', '', 'A package that was cancelled before the failure is not attempted again.'],
      ['updatedAt < completedAt', 'updatedAt <= completedAt', 'A package that the failure cancelled is.'],
      [
        "return status === 'returned' || (status === 'cancelled' && !wasCancelledBefore)",
        'return !wasCancelledBefore && (status === "returned" || status === "cancelled")',
        'A package that came back before the failure is.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/positions/watch/watched-agent.ts',
    ['unit/engine/eta-watch'],
    [['  known.told.etas = etas;\n', '', 'An ETA that was taken back before the next tick is predicted again.']],
  ),
  ...mutationsOf(
    'engine/positions/watch/eta-watch.ts',
    ['unit/engine/eta-watch'],
    [
      [
        'else if (told.etas === toldBefore) told',
        'else told',
        'What the roster says since an ETA was sent counts more than its answer.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/steps/tell-risk.ts',
    ['unit/engine/decide/amend-task', 'unit/engine/decide/note-arrival'],
    [
      [' || isAtRisk(before)', '', 'A task that was late already is not warned of again.'],
      ['task.arrivedAt === null && ', '', 'A task whose courier has come is not at risk.'],
      ['task.etaAt > dueAtOf(task)', 'task.etaAt >= dueAtOf(task)', 'A task that comes in time is not at risk.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/decide-actions.ts',
    ['api/exceptions/actions'],
    [
      [
        'countTasks(tools.state, command) > LIMITS.actionFamilies',
        'command.actions.length > LIMITS.actionFamilies',
        'The children of jobs count in the limit of an action.',
      ],
      [
        'state.findTask(taskId)?.task.parentId ?? taskId;',
        'taskId;',
        'The text of the job of a child counts in the limit of an action.',
      ],
      ['if (ok) done += 1;', 'done += 1;', 'An action counts the tasks that it changed.'],
      [
        'Math.min(count, TASK_STATUSES.length)',
        '1',
        'A job counts for each of its children in the limit of an action.',
      ],
      ['Math.min(count, TASK_STATUSES.length)', 'count', 'A job counts no more often than it gets a status.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/apply/joint-news.ts',
    ['api/exceptions/followed-jobs'],
    [
      ['if (followed) {', 'if (false) {', 'Steps of many children make one event of their job.'],
      ['...(this.#putOff.get(taskId) ?? []), ', '', 'That event names the changes of all steps.'],
      ['this.#putOff?.delete(taskId);', '', 'The event of a new status of a job has its other changes, too.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/joint-answer.ts',
    ['api/exceptions/followed-jobs'],
    [
      [
        'if (tools.opened()) tellPutOff(tools, openBatchAt(tools, now), command, tools.joint);',
        '',
        'An action ends with the events of its jobs.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/org-actor.ts',
    ['faults/commits/unencodable'],
    [
      [
        '      this.#sealFull();\n    } catch',
        '      queueMicrotask(() => this.#sealFull());\n    } catch',
        'A commit that cannot be encoded ends no process.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/steps/family-size.ts',
    ['api/exceptions/actions'],
    [
      [
        '[taskId, ...(state.findTask(taskId)?.task.childIds ?? [])]',
        '[taskId]',
        'The text of children counts in the limit of an action.',
      ],
    ],
  ),
  ...mutationsOf(
    'schema/exceptions/task-actions.ts',
    ['api/exceptions/actions'],
    [[", ({ action }) => action === 'amend'", '', 'An action ignores the times of an amendment.']],
  ),
  ...mutationsOf(
    'engine/org/actor/joint-answer.ts',
    ['api/exceptions/actions'],
    [
      [
        'batch ??= tools.openBatch();',
        'if (batch && batch.rows > 1_000) batch.closed = true;\n      batch = tools.openBatch();',
        'An action goes into one commit, however many rows it has.',
      ],
    ],
  ),
];
