import { type Mutation, mutationsOf } from '../mutation.ts';

const LISTS = [
  'integration/store/commit/commit-rows',
  'api/lists/task-filters',
  'integration/store/task-list-property',
  'api/lists/list-tasks',
  'integration/assignment/offers',
];

/** Faults in lists of tasks, and in the counters and tables that they are found by. */
export const TASK_LISTS: readonly Mutation[] = [
  ...mutationsOf('engine/org/commit/list-upkeep.ts', LISTS, [
    ['if (before) move(before, -1);', '', 'A task is counted in one status.'],
    ['scheduledAt === after.scheduledAt &&', '', 'A task that was rescheduled is found at its new time.'],
  ]),
  ...mutationsOf('schema/functions/task-lists.sql', LISTS, [
    [
      'WHERE "scheduledAt" IS NOT NULL AND ("expectedVersion" = 0 OR relist)',
      'WHERE "scheduledAt" IS NOT NULL AND "expectedVersion" = 0',
      'A task that was scheduled later is found by its time.',
    ],
    ['WHERE NOT n.sought AND', 'WHERE n.sought AND', 'A task that is no longer sought leaves the list of searches.'],
  ]),
  ...mutationsOf(
    'engine/org/state/moving-places.ts',
    ['integration/engine/moving-tasks'],
    [
      [' || movingTasks >= LIMITS.movingTasks', '', 'Lists read no more moving tasks than the bound.'],
      ['if (!UNTAKEN.has(status)) return true;', '', 'A task that somebody takes gets a place that is left.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/state/tallies.ts',
    ['integration/engine/moving-tasks'],
    [
      [' - Number(before !== undefined && isMoving(before))', '', 'A task that ends leaves its place to another.'],
      ['this.movingTasks = movingTasks;', 'this.movingTasks = 0;', 'A new owner knows how many places are taken.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/task-lists/task-list-conditions.ts',
    ['integration/store/task-list-property'],
    [
      ['${column} <= ${', '${column} < ${', 'The end of a window is part of it.'],
      [
        'if (agentId) all.push(',
        'if (agentId && agentId.length > 1) all.push(',
        'A list of an agent holds its tasks only.',
      ],
      ['isDelayed ? IS_DELAYED : `NOT (${IS_DELAYED})`', 'IS_DELAYED', 'A list without the delayed tasks can be had.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/task-lists/task-list-searches.ts',
    ['api/lists/task-filters', 'integration/store/task-list-property'],
    [
      [" AND ${isUpToDate('l')}", '', 'A task is not found at the place that it had before.'],
      ["if (digits !== '') ofCustomer", "if (digits === '-') ofCustomer", "A task is found by its customer's phone."],
      [
        '`(${longitude} >= ${left} OR ${longitude} <= ${right})`',
        '`(${longitude} >= ${left} AND ${longitude} <= ${right})`',
        'A box may cross the antimeridian.',
      ],
      ['p.barcode IS NOT NULL AND ${ofBarcode}))`', 'false))`', "A task is found by a package's barcode."],
      [' AND ${isNamed("(c.search_text || \'\')", text)}', '', 'A task is found by the whole of a name with digits.'],
      [", 'text'))} AND ${hasBarcode(text)}`", ", 'text'))}`", 'A task is found by the whole of a barcode.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/rows/record-tables.ts',
    ['integration/store/pages/page-texts'],
    [
      ["${named(markOf('r'), 'customers', 'customer_id')}", "''", "A page shows a customer's new name."],
      ["${named(markOf('r'), 'agents', 'agent_id')}", "''", "A page shows an agent's new name."],
      [', task_parts_stamp(t.organization_id, t.child_ids))', ')', 'A page shows the parts of a job as they are.'],
      ["concat_ws(' ', ${markOf('t')},", "concat_ws(' ',", 'A page shows a task as it is.'],
      ['[own, customer?.at(-1),', '[customer?.at(-1),', 'Both ways to a page mark the task.'],
      ['customer?.at(-1), agent', 'agent', 'Both ways to a page mark the customer.'],
      ['agent?.at(-1), ofParts', 'ofParts', 'Both ways to a page mark the agent.'],
      [', ofParts];', '];', 'Both ways to a page mark the parts of a job.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/rows/row-mark.ts',
    ['integration/store/pages/page-texts'],
    [
      [
        " || ' ' || date_part('epoch', ${alias}.updated_at)",
        '',
        'A page shows no change that a restored database has lost.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/lists/read-texts.ts',
    ['integration/store/pages/page-texts'],
    [
      ['if (missing.get(text.id) === stamp) found', 'found', 'A page is of one moment.'],
      ['if (items) return', 'if (items?.length === -1) return', 'A page reads no task whose text is kept.'],
      ['texts.keep(organizationId, stamp, text);', '', 'The text of a task that a page read is kept.'],
      ['if (kept) found++;', '', 'A page that reads all its tasks learns how many others have shown.'],
      [
        'if (sources.repeats.isRepeated(organizationId, request))',
        'if (request)',
        'Lists whose tasks others hardly show read them at once.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/lists/repeat-rates.ts',
    ['integration/store/pages/page-texts'],
    [
      ['(found / shown - share) * NEWEST', '0', 'A list that comes into use finds its kept texts.'],
      ['if (shown === 0) return;', '', 'A page without tasks says nothing about kept texts.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/lists/task-texts.ts',
    ['integration/store/pages/page-texts'],
    [
      ['if (kept?.stamp !== stamp)', 'if (!kept)', 'A kept text is shown under its own stamp alone.'],
      [
        'if (this.#shown.note(organizationId, text.id)) ',
        '',
        'A list that hardly repeats keeps no text of its first time.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/lists/shown-before.ts',
    ['integration/store/pages/page-texts'],
    [
      [
        'const isKnown = this.#marks[place] === mark;',
        'const isKnown = false;',
        'A task is known from its first time.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/state/bounded-map.ts',
    ['integration/store/pages/page-texts', 'unit/engine/state/bounded-map'],
    [
      ['this.#leave(oldest, left);', '', 'Kept texts stay below their bound.'],
      [
        'if (value !== undefined) this.#taken -=',
        'if (value === undefined) this.#taken -=',
        'As few texts leave as have to.',
      ],
      ['if (key === SWEPT) break;', '', 'A sweep spares the texts that were used since the last one.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/apply/shown-tasks.ts',
    ['unit/engine/events/shown-tasks'],
    [
      ['kept.wasUsed = true;', '', 'Answers that are given again outlive the others.'],
      ['answer.wasUsed = false;', '', 'A use spares an answer once.'],
      ['if (isCurrent) answer.live.shown = undefined;', '', 'An answer that has left is not given.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/state/books/task-book.ts',
    ['unit/engine/state/task-book'],
    [['live.wasRead = true;', '', 'A task that was read outlives the others.']],
  ),
  ...mutationsOf(
    'engine/org/lists/page-room.ts',
    ['api/lists/large-pages'],
    [['this.#chars += text.json.length;', '', 'A page of too much text is refused.']],
  ),
  ...mutationsOf(
    'engine/org/feed/log-pages.ts',
    ['unit/engine/events/log-pages'],
    [['return isCut && events', 'return false && events', 'Readers of large events miss none.']],
  ),
];
