import type { AgentView } from '../../../schema/fleet/agent.ts';
import type { PositionView } from '../../../schema/fleet/position.ts';
import type { TaskStatus } from '../../../schema/tasks/task.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { heardAtMsOf } from './heard.ts';
import type { TaskRow } from './protocol.ts';
import { phoneDigits } from './search-query.ts';
import { shownStatusOf } from './shown-status.ts';

/** A task of the organization with what the views ask of it often. */
export interface HeldTask {
  readonly view: TaskView;
  /** The place in the log up to which it is known. */
  readonly sequence: number;
  readonly row: TaskRow;
  /** The text that a search looks through, in lower case. */
  readonly text: string;
  /** The phone numbers that a search looks through: country code and number, without anything between. */
  readonly phones: string;
}

interface HeldAgent {
  readonly view: AgentView;
  readonly sequence: number;
}

export interface HeldPosition {
  readonly view: PositionView;
  readonly recordedAtMs: number;
  readonly heardAtMs: number;
}

/** A failed task that nobody has attempted again needs a dispatcher for this long, also over midnight. */
export const FAILED_KEPT_MS = 24 * 3_600_000;

const TERMINAL: ReadonlySet<TaskStatus> = new Set(['completed', 'cancelled']);

export function isOpen(status: TaskStatus): boolean {
  return !TERMINAL.has(status);
}

/** The records of one organization, each once, with indexes by status and by courier. */
export class Records {
  readonly tasks = new Map<number, HeldTask>();
  readonly agents = new Map<number, HeldAgent>();
  readonly positions = new Map<number, HeldPosition>();
  readonly byStatus = new Map<TaskStatus, Set<number>>();
  /** The open tasks of each courier. */
  readonly byAgent = new Map<number, Set<number>>();
  /** Open tasks past their due time. */
  readonly late = new Set<number>();

  /** Keeps a task unless a newer state of it is known. Children of a job are tasks like any other. */
  putTask(view: TaskView, sequence: number, nowMs = 0): boolean {
    for (const child of view.children ?? []) this.putTask({ ...child, children: [] }, sequence, nowMs);
    const before = this.tasks.get(view.id);
    if (before && before.sequence >= sequence) return false;
    if (before) this.#unlist(before);
    const cameAtMs = before ? before.row.cameAtMs : nowMs;
    const held = { view, sequence, row: rowOf(view, cameAtMs), text: textOf(view), phones: phonesOf(view) };
    this.tasks.set(view.id, held);
    this.#list(held);
    return true;
  }

  /** Keeps a courier unless a newer state is known. Most changes of couriers are no events: the log stands still at them. */
  putAgent(view: AgentView, sequence: number): boolean {
    const before = this.agents.get(view.id);
    if (before && before.sequence > sequence) return false;
    if (before && before.sequence === sequence && before.view.updatedAt >= view.updatedAt) return false;
    this.agents.set(view.id, { view, sequence });
    return true;
  }

  putPosition(view: PositionView): void {
    const recordedAtMs = Date.parse(view.recordedAt);
    const before = this.positions.get(view.agentId);
    if (before && before.recordedAtMs > recordedAtMs) return;
    // A reading may come after a heartbeat that it does not know of.
    const heardAtMs = Math.max(heardAtMsOf(view), before?.heardAtMs ?? 0);
    this.positions.set(view.agentId, { view, recordedAtMs, heardAtMs });
  }

  /** Forgets the tasks that ended before a moment, so that a console that is open for days stays small. */
  forgetBefore(endedMs: number, nowMs: number): void {
    for (const held of this.tasks.values()) {
      const { id, endedAtMs } = held.row;
      if (endedAtMs === null || endedAtMs >= endedMs) continue;
      if (isUnattempted(held.view) && nowMs - endedAtMs < FAILED_KEPT_MS) continue;
      this.#unlist(held);
      this.tasks.delete(id);
    }
  }

  /** A job is in no index: its children have the courier and the times, and are tasks of their own. */
  #list({ row }: HeldTask): void {
    if (row.isJob) return;
    setOf(this.byStatus, row.status).add(row.id);
    if (!isOpen(row.status)) return;
    if (row.isLate) this.late.add(row.id);
    if (row.agentId !== null) setOf(this.byAgent, row.agentId).add(row.id);
  }

  #unlist({ row }: HeldTask): void {
    this.byStatus.get(row.status)?.delete(row.id);
    this.late.delete(row.id);
    if (row.agentId !== null) this.byAgent.get(row.agentId)?.delete(row.id);
  }
}

/** A failed task without a next attempt; a job fails by its children. */
export function isUnattempted({ outcome, nextTaskId, children }: TaskView): boolean {
  return outcome === 'failed' && nextTaskId === null && children.length === 0;
}

function setOf<Key>(index: Map<Key, Set<number>>, key: Key): Set<number> {
  const found = index.get(key) ?? new Set<number>();
  index.set(key, found);
  return found;
}

export function nameOf(user: { readonly firstName: string | null; readonly lastName: string | null }): string {
  return [user.firstName, user.lastName].filter(Boolean).join(' ');
}

function rowOf(task: TaskView, cameAtMs: number): TaskRow {
  return {
    id: task.id,
    code: task.code,
    name: task.name,
    customer: task.customer ? nameOf(task.customer.user) : '',
    address: task.location?.address ?? '',
    status: task.status,
    shown: shownStatusOf(task),
    endedAtMs: endedAtMs(task),
    taskType: task.taskType,
    isJob: task.children.length > 0,
    outcome: task.outcome,
    dueAtMs: Date.parse(task.dueAt),
    etaAtMs: task.etaAt === null ? null : Date.parse(task.etaAt),
    arrivedAtMs: task.arrivedAt ? Date.parse(task.arrivedAt) : null,
    isLate: task.isDelayed,
    agentId: task.agentId,
    search: searchOf(task),
    attempt: task.attempt,
    cameAtMs,
  };
}

function searchOf({ search, autoAssignmentStatus, autoAssignmentFailureReason }: TaskView): string | null {
  if (search) return search.reason ?? search.waitsFor;
  return autoAssignmentStatus === 'failed' ? autoAssignmentFailureReason : null;
}

function endedAtMs({ completedAt, cancelledAt }: TaskView): number | null {
  const ended = completedAt ?? cancelledAt;
  return ended ? Date.parse(ended) : null;
}

function textOf({ code, name, customer, location, packages, contact }: TaskView): string {
  const parts = [code, name, customer && nameOf(customer.user), location?.address, contact?.name];
  return [...parts, ...packages.map(({ barcode }) => barcode)].filter(Boolean).join('\n').toLowerCase();
}

function phonesOf({ customer, contact }: TaskView): string {
  const { countryCode, phoneNumber } = customer?.user ?? {};
  return [phoneNumber && `${countryCode ?? ''}${phoneNumber}`, contact?.phone]
    .map((phone) => phoneDigits(phone ?? ''))
    .join('\n');
}
