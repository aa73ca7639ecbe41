import type { TaskStatus } from '../../../schema/tasks/task.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';

/** An event of the log, as far as the charts read it. */
export interface ChartEvent {
  readonly type: string;
  readonly sequence: number;
  readonly timestamp: string;
  readonly data: {
    readonly task: Pick<TaskView, 'id' | 'children' | 'createdAt' | 'timeToServe' | 'isDelayed' | 'outcome'>;
    readonly previousStatus?: TaskStatus;
    readonly status?: TaskStatus;
  };
}

/** The steps of an open task, as the chart of open tasks stacks them. */
export const BANDS = ['unassigned', 'assigned', 'accepted', 'in_transit'] as const;
export type Band = (typeof BANDS)[number];
export type Counts = Readonly<Record<Band, number>>;

interface Move {
  readonly sequence: number;
  readonly atMs: number;
  readonly from: Band | null;
  readonly to: Band | null;
}

/** The log of a span of time, as far as the charts are made of it. */
export interface Activity {
  readonly created: number[];
  /** Tasks that were completed or cancelled; whether in time, of those that succeeded. */
  readonly ended: { readonly atMs: number; readonly isOnTime: boolean | null }[];
  /** Tasks that found a courier, each once: one that is offered is assigned until the courier declines. */
  readonly assigned: { readonly taskId: number; readonly atMs: number; readonly waitedMs: number }[];
  readonly moves: Move[];
}

export function emptyActivity(): Activity {
  return { created: [], ended: [], assigned: [], moves: [] };
}

function bandOf(status: TaskStatus): Band | null {
  if (status === 'new' || status === 'awaiting_assignment') return 'unassigned';
  return status === 'completed' || status === 'cancelled' ? null : status;
}

/** Events come in the order of the log. Those of a job say nothing: its children are tasks of their own, as in the figures. */
export function takeEvent(activity: Activity, { type, sequence, timestamp, data }: ChartEvent): void {
  if (type !== 'task.created' && type !== 'task.status_changed') return;
  const { task, previousStatus, status } = data;
  if (task.children.length > 0) return;
  const atMs = Date.parse(timestamp);
  if (type === 'task.created') {
    activity.created.push(atMs);
    activity.moves.push({ sequence, atMs, from: null, to: 'unassigned' });
  }
  if (!status || !previousStatus) return;
  const [from, to] = [bandOf(previousStatus), bandOf(status)];
  activity.moves.push({ sequence, atMs, from, to });
  // A scheduled task waits for its day: its wait says nothing about the search.
  if (from === 'unassigned' && to !== null && to !== from && task.timeToServe === 'asap')
    activity.assigned.push({ taskId: task.id, atMs, waitedMs: atMs - Date.parse(task.createdAt) });
  if (to === 'unassigned') lose(activity.assigned, task.id);
  if (to !== null) return;
  const hasSucceeded = status === 'completed' && task.outcome !== 'failed';
  activity.ended.push({ atMs, isOnTime: hasSucceeded ? !task.isDelayed : null });
}

/** The courier declined, or the task was taken back: it looks for one again. */
function lose(assigned: Activity['assigned'], taskId: number): void {
  const at = assigned.findLastIndex((sample) => sample.taskId === taskId);
  if (at >= 0) assigned.splice(at, 1);
}

/** Forgets the time before a moment. */
export function forgetBefore({ created, ended, assigned, moves }: Activity, ms: number): void {
  const cut = <T>(list: T[], timeOf: (item: T) => number) => {
    const first = list.findIndex((item) => timeOf(item) >= ms);
    list.splice(0, first < 0 ? list.length : first);
  };
  cut(created, (atMs) => atMs);
  for (const list of [ended, assigned, moves] as { readonly atMs: number }[][]) cut(list, ({ atMs }) => atMs);
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Values over time. `times` are the beginnings of the steps; null where there is nothing to say. */
export interface Series {
  readonly times: readonly number[];
  readonly values: readonly (readonly (number | null)[])[];
  /** The things that were counted or measured. */
  readonly samples: number;
}

const MINUTE_MS = 60_000;
/** Shares and medians of fewer things would jump about. */
const COARSE_MS = 5 * MINUTE_MS;

function stepsOf({ fromMs, toMs }: Span, stepMs: number): number[] {
  const first = Math.floor(fromMs / stepMs) * stepMs;
  return Array.from({ length: Math.max(0, Math.ceil((toMs - first) / stepMs)) }, (_, step) => first + step * stepMs);
}

function grouped<T>(times: readonly number[], stepMs: number, items: readonly T[], timeOf: (item: T) => number): T[][] {
  const groups: T[][] = times.map(() => []);
  for (const item of items) groups[Math.floor((timeOf(item) - times[0]!) / stepMs)]?.push(item);
  return groups;
}

/** Tasks that came, and tasks that ended, by the minute. */
export function tasksPerMinute({ created, ended }: Activity, span: Span): Series {
  const times = stepsOf(span, MINUTE_MS);
  const came = grouped(times, MINUTE_MS, created, (atMs) => atMs).map(({ length }) => length);
  const done = grouped(times, MINUTE_MS, ended, ({ atMs }) => atMs).map(({ length }) => length);
  return { times, values: [came, done], samples: created.length + ended.length };
}

/** Steps of an axis of waiting times, in seconds. */
export const WAIT_STEPS = [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 86_400] as const;

/** Seconds from the creation of a task to its courier: the median, and the time that nine of ten kept to. */
export function timeToAssign({ assigned }: Activity, span: Span): Series {
  const times = stepsOf(span, COARSE_MS);
  const groups = grouped(times, COARSE_MS, assigned, ({ atMs }) => atMs).map((group) =>
    group.map(({ waitedMs }) => waitedMs / 1_000).sort((a, b) => a - b),
  );
  const at = (share: number) => groups.map((group) => group[Math.ceil(group.length * share) - 1] ?? null);
  return { times, values: [at(0.5), at(0.9)], samples: assigned.length };
}

/** Percent of the tasks that succeeded in time. */
export function onTimeShare({ ended }: Activity, span: Span): Series {
  const times = stepsOf(span, COARSE_MS);
  const judged = ended.filter(({ isOnTime }) => isOnTime !== null);
  const shares = grouped(times, COARSE_MS, judged, ({ atMs }) => atMs).map((group) =>
    group.length === 0 ? null : (100 * group.filter(({ isOnTime }) => isOnTime).length) / group.length,
  );
  return { times, values: [shares], samples: judged.length };
}

/** Open tasks at the end of each minute. `counts` are those at a place of the log; the events lead from there to the rest. */
export function openByStatus({ moves }: Activity, span: Span, counts: Counts, sequence: number): Series {
  const times = stepsOf(span, MINUTE_MS);
  const now: Record<Band, number> = { ...counts };
  const step = ({ from, to }: Move, sign: 1 | -1) => {
    if (from) now[from] -= sign;
    if (to) now[to] += sign;
  };
  for (const move of moves.filter((each) => each.sequence > sequence)) step(move, 1);
  const values: number[][] = BANDS.map(() => []);
  let at = moves.length;
  for (const time of times.toReversed()) {
    while (at > 0 && moves[at - 1]!.atMs >= time + MINUTE_MS) step(moves[--at]!, -1);
    for (const [band, name] of BANDS.entries()) values[band]!.push(now[name]);
  }
  return { times, values: values.map((band) => band.toReversed()), samples: moves.length };
}
