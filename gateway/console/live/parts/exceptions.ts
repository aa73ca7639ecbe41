import type { TaskStatus } from '../../../../schema/tasks/task.ts';
import { isStaleAt } from '../heard.ts';
import { EXCEPTION_KINDS, type Exception, type ExceptionKind, type ExceptionList } from '../protocol.ts';
import { type HeldTask, isUnattempted, nameOf, type Records } from '../records.ts';

/** So many of each kind: hundreds of late tasks leave the other kinds in the list. */
const LISTED = 100;
/** A task that nobody has set out for, this long before it is due, needs a look. */
export const RISK_MS = 15 * 60_000;
const OPEN: readonly TaskStatus[] = ['new', 'awaiting_assignment', 'assigned', 'accepted', 'in_transit'];

/** Everything that needs a dispatcher at `nowMs`, by the server's clock. A task is listed once, with its worst trouble. */
export function exceptionsOf(records: Records, nowMs: number): ExceptionList {
  const found = [...troubledTasks(records, nowMs), ...failedTasks(records), ...troubledCouriers(records, nowMs)];
  const rank = (kind: ExceptionKind) => EXCEPTION_KINDS.indexOf(kind);
  found.sort((a, b) => rank(a.kind) - rank(b.kind) || (a.sinceMs ?? 0) - (b.sinceMs ?? 0) || (a.key < b.key ? -1 : 1));
  const counts = Object.fromEntries(EXCEPTION_KINDS.map((kind) => [kind, 0])) as Record<ExceptionKind, number>;
  const items = found.filter(({ kind }) => ++counts[kind] <= LISTED);
  return { items, counts, total: found.length };
}

function* troubledTasks(records: Records, nowMs: number): Generator<Exception> {
  for (const status of OPEN) {
    for (const id of records.byStatus.get(status) ?? []) {
      const held = records.tasks.get(id)!;
      const trouble = troubleOf(held, nowMs);
      if (trouble) yield { ...ofTask(records, held), ...trouble };
    }
  }
}

type Trouble = Pick<Exception, 'kind' | 'sinceMs' | 'reason'>;

function troubleOf({ view, row }: HeldTask, nowMs: number): Trouble | undefined {
  const isUnassigned = row.status === 'new' || row.status === 'awaiting_assignment';
  const isSearchOver = isUnassigned && view.autoAssignmentStatus === 'failed';
  const isSearchStuck = isUnassigned && view.search?.waitsFor === 'eligible_agent';
  if (row.isLate) {
    const reason = isSearchOver || isSearchStuck ? row.search : null;
    return { kind: 'late', sinceMs: view.delayedAt === null ? row.dueAtMs : Date.parse(view.delayedAt), reason };
  }
  if (isSearchOver) return { kind: 'nobody', sinceMs: Date.parse(view.updatedAt), reason: row.search };
  if (isSearchStuck) return { kind: 'nobody', sinceMs: timeOf(view.search?.since), reason: row.search };
  const isComingLate = row.arrivedAtMs === null && row.etaAtMs !== null && row.etaAtMs > row.dueAtMs;
  const hasNobodySetOut = row.status !== 'in_transit' && row.dueAtMs - nowMs < RISK_MS;
  return isComingLate || hasNobodySetOut ? { kind: 'at-risk', sinceMs: row.dueAtMs, reason: null } : undefined;
}

/** The failed tasks that are held and that nobody has attempted again. */
function* failedTasks(records: Records): Generator<Exception> {
  for (const id of records.byStatus.get('completed') ?? []) {
    const held = records.tasks.get(id)!;
    if (!isUnattempted(held.view)) continue;
    const { completedAt, failureReason } = held.view;
    yield { ...ofTask(records, held), kind: 'failed', sinceMs: timeOf(completedAt), reason: failureReason };
  }
}

/** Couriers with open tasks who went off duty, or whose position nobody knows any more. */
function* troubledCouriers(records: Records, nowMs: number): Generator<Exception> {
  for (const [agentId, open] of records.byAgent) {
    const agent = records.agents.get(agentId)?.view;
    if (!agent || open.size === 0) continue;
    const changedMs = timeOf(agent.dutyChangedAt);
    const heardMs = records.positions.get(agentId)?.heardAtMs ?? changedMs;
    const isLost = heardMs === null || isStaleAt(heardMs, nowMs);
    if (agent.onDuty && !isLost) continue;
    yield {
      key: `courier-${agentId}`,
      kind: agent.onDuty ? 'lost-courier' : 'left-courier',
      sinceMs: agent.onDuty ? heardMs : changedMs,
      task: null,
      agentId,
      courier: nameOf(agent.user),
      reason: null,
      taskIds: [...open],
    };
  }
}

function ofTask(records: Records, { row, view }: HeldTask) {
  const agent = (row.agentId !== null && records.agents.get(row.agentId)?.view) || view.agent;
  return {
    key: `task-${row.id}`,
    task: row,
    agentId: row.agentId,
    courier: agent ? nameOf(agent.user) : null,
    taskIds: [row.id],
  };
}

function timeOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Date.parse(text);
}
