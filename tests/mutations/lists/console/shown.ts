import { type Mutation, mutationsOf } from '../../mutation.ts';

/** Faults in what the console shows. */
export const SHOWN: readonly Mutation[] = [
  ...mutationsOf(
    'gateway/console/live/by-name.ts',
    ['unit/gateway/console/parts/list-of-today'],
    [['numeric: true', 'numeric: false', 'Couriers stand as people count: 19 before 189.']],
  ),
  ...mutationsOf(
    'gateway/console/webhooks/is-awaited.ts',
    ['unit/gateway/console/records/awaited-deliveries'],
    [['- nowMs.value < SOON_MS', '- Date.now() < SOON_MS', 'A delivery is read again when its attempt comes near.']],
  ),
  ...mutationsOf(
    'gateway/console/charts/webhook-rows.ts',
    ['unit/gateway/console/records/webhook-rows'],
    [
      [
        "(status === 'active' && failingSince !== null)",
        'failingSince !== null',
        'A webhook put aside is not in trouble.',
      ],
      ['disabledReason !== null || ', '', 'A webhook that was disabled stands first in the charts.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/heard.ts',
    ['unit/gateway/console/parts/exceptions'],
    [
      ['isStale ? Date.parse(recordedAt) : ', 'false ? 0 : ', 'An old position that comes late brings nobody back.'],
      ['Date.parse(receivedAt))', '0)', 'A courier who sends heartbeats is within reach.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/parts/summaries.ts',
    ['unit/gateway/console/parts/old-positions'],
    [
      ['const isStale = isStaleAt(heardAtMs, nowMs);', 'const { isStale } = view;', 'A pin fades when it is old.'],
      [
        'position !== undefined && isStaleAt(position.heardAtMs, nowMs)',
        'position?.view.isStale ?? false',
        'The page of a courier says that his position is too old.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/records.ts',
    ['unit/gateway/console/parts/exceptions', 'unit/gateway/console/parts/list-of-today'],
    [
      ['before?.heardAtMs ?? 0', '0', 'A reading does not undo a heartbeat that came before it.'],
      ['    if (row.isJob) return;\n', '', 'A figure counts the tasks of a job, and not the job beside them.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/parts/list-view.ts',
    ['unit/gateway/console/parts/list-of-today'],
    [
      ['!(isOfFigure && task.row.isJob) &&', '', 'A list behind a figure holds what the figure counts.'],
      ['if (row.isJob) return { key: JOBS', 'if (false) return { key: JOBS', 'A job under way is not unassigned.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/parts/exceptions.ts',
    ['unit/gateway/console/parts/exceptions'],
    [
      ['row.arrivedAtMs === null && ', '', 'A task whose courier has arrived is not at risk by an old estimate.'],
      [
        'const items = found.filter(({ kind }) => ++counts[kind] <= LISTED);',
        'for (const { kind } of found) counts[kind] += 1;\n  const items = found.slice(0, LISTED);',
        'Many late tasks leave the other kinds in the list.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/console/board/drop-rules.ts',
    ['unit/gateway/console/page/board-drops'],
    [
      [" && shown !== 'awaiting_assignment'", '', 'A card is not dropped on its own column.'],
      ["new Set(['assigned', ", "new Set(['in_transit', 'assigned', ", 'No task on its way is taken back.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/charts/activity.ts',
    ['unit/gateway/console/chart-activity'],
    [
      ['  if (task.children.length > 0) return;\n', '', 'The charts leave a job out, as the figures do.'],
      ["  if (to === 'unassigned') lose(activity.assigned, task.id);\n", '', 'A declined offer is no courier found.'],
      ['=> sample.taskId === taskId', '=> true', 'The time of another task stays.'],
      ['if (to !== null) return;', "if (status !== 'completed') return;", 'A task that was cancelled has ended.'],
      ["status === 'completed' && task.outcome", 'task.outcome', 'A cancelled task is neither in time nor late.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/charts/webhook-rows.ts',
    ['unit/gateway/console/records/webhook-rows'],
    [
      [
        '...known.get(webhook.id), webhook });\n',
        '...known.get(webhook.id), webhook });\n    break;\n',
        'Every webhook has its row.',
      ],
      ['due.slice(0, STEP)', 'due', 'The charts read few webhooks in a round.'],
      ['one.round - other.round', '0', 'Each webhook that is shown has its turn.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/text/english-charts.ts',
    ['unit/gateway/console/chart-activity'],
    [['seconds < 600 ? 1 : 0', '0', 'No two ticks of an axis say the same.']],
  ),
];
