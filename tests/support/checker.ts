import type { JournaledOperation, JournalView, Outcome } from './journal.ts';

/** The rows of the organizations under test, read when everything is quiet. */
export interface FinalRows {
  readonly tasks: readonly {
    readonly organizationId: number;
    readonly id: number;
    /** The key of the operation that made it. */
    readonly name: string;
    readonly status: string;
    /** When its timer is due; null when it has none. */
    readonly deadlineAt: string | null;
  }[];
  readonly events: readonly {
    readonly organizationId: number;
    readonly sequence: number;
    readonly type: string;
    readonly epoch: number;
    readonly taskId: number;
  }[];
  readonly history: readonly {
    readonly organizationId: number;
    readonly taskId: number;
    readonly sequence: number;
  }[];
  readonly heads: readonly {
    readonly organizationId: number;
    readonly lastSequence: number;
    /** When the timers of the organization are looked at next. */
    readonly nextDeadlineAt: string | null;
  }[];
  /** Tasks counted against the quota, over all periods. */
  readonly usage: readonly { readonly organizationId: number; readonly used: number }[];
}

export type Rule =
  /** A 2xx was sent and the rows do not show it. */
  | 'lost'
  /** One operation was carried out twice. */
  | 'doubled-task'
  /** A row that nobody asked for, or whose every attempt was told that nothing was done. */
  | 'phantom'
  /** Two answers to one operation differ. */
  | 'changed-answer'
  | 'gap'
  | 'doubled-event'
  | 'event-without-row'
  | 'row-without-event'
  /** Two processes wrote at the same time. */
  | 'second-writer'
  | 'stream-missed'
  | 'stream-repeated'
  /** A stream showed what the log does not hold: it was undone. */
  | 'stream-phantom'
  | 'usage'
  /** A task has a timer that nobody will look at in time. */
  | 'lost-timer';

export interface Violation {
  readonly rule: Rule;
  readonly message: string;
}

type Report = (rule: Rule, message: string) => void;

/** Holds what clients were told against what is there. Empty when every promise was kept. */
export function findViolations(journal: JournalView, rows: FinalRows): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (rule, message) => violations.push({ rule, message });
  checkAnswers(journal, rows, report);
  checkTasks(journal, rows, report);
  checkLog(rows, report);
  checkEventsAndRows(rows, report);
  checkWriters(journal, rows, report);
  checkStreams(journal, rows, report);
  checkUsage(rows, report);
  checkTimers(rows, report);
  return violations;
}

function checkAnswers(journal: JournalView, rows: FinalRows, report: Report): void {
  const tasks = new Map(rows.tasks.map((task) => [keyOf(task.organizationId, task.id), task]));
  const heads = new Map(rows.heads.map((head) => [head.organizationId, head.lastSequence]));
  for (const { operation, outcomes } of journal.operations.values()) {
    const { key, kind, organizationId } = operation;
    const told = outcomes.filter(isAcknowledged);
    for (const { taskId, sequence, data } of told) {
      const task = tasks.get(keyOf(organizationId, taskId));
      const isThere = kind === 'create' ? task?.name === key : task?.status === 'cancelled';
      if (!isThere) report('lost', `${kind} ${key} was acknowledged as task ${taskId}, which is ${describe(task)}`);
      if (sequence > (heads.get(organizationId) ?? 0)) {
        report('lost', `${kind} ${key} was acknowledged at ${sequence}, which the log has not reached`);
      }
      if (taskId !== told[0]!.taskId || data !== told[0]!.data) {
        report('changed-answer', `${kind} ${key} was answered with task ${told[0]!.taskId}, then otherwise: ${data}`);
      }
    }
    const refusedForGood = kind === 'cancel' && outcomes.some((o) => o.kind === 'refused' && o.status === 409);
    if (refusedForGood && tasks.get(keyOf(organizationId, operation.taskId!))?.status !== 'cancelled') {
      report('lost', `${key} was told that task ${operation.taskId} had ended, and it has not`);
    }
  }
}

function checkTasks(journal: JournalView, rows: FinalRows, report: Report): void {
  const rowsByKey = groupBy(rows.tasks, ({ organizationId, name }) => keyOf(organizationId, name));
  for (const [key, found] of rowsByKey) {
    const { organizationId, name } = found[0]!;
    if (found.length > 1)
      report('doubled-task', `${key} was carried out as tasks ${found.map(({ id }) => id).join(', ')}`);
    const sent = journal.operations.get(name);
    if (sent?.operation.organizationId !== organizationId || sent.operation.kind !== 'create') {
      report('phantom', `nobody asked organization ${organizationId} for the task ${name}`);
    } else if (isDenied(sent)) {
      report('phantom', `${name} is there, and all its attempts were told that nothing was done`);
    }
  }
  const denied = new Set<string>();
  const wanted = new Set<string>();
  for (const sent of journal.operations.values()) {
    if (sent.operation.kind !== 'cancel') continue;
    const task = keyOf(sent.operation.organizationId, sent.operation.taskId!);
    (isDenied(sent) ? denied : wanted).add(task);
  }
  for (const task of rows.tasks) {
    const key = keyOf(task.organizationId, task.id);
    if (task.status !== 'cancelled' || wanted.has(key)) continue;
    report(
      'phantom',
      `task ${task.id} is cancelled, and ${denied.has(key) ? 'all who asked were refused' : 'nobody asked'}`,
    );
  }
}

function checkLog(rows: FinalRows, report: Report): void {
  const logs = groupBy(rows.events, ({ organizationId }) => organizationId);
  for (const { organizationId, lastSequence } of rows.heads) {
    const sequences = (logs.get(organizationId) ?? []).map(({ sequence }) => sequence).sort((a, b) => a - b);
    let expected = 1;
    for (const sequence of sequences) {
      if (sequence < expected) report('doubled-event', `organization ${organizationId} has ${sequence} twice`);
      if (sequence > expected) report('gap', `organization ${organizationId} lacks ${expected} to ${sequence - 1}`);
      expected = Math.max(expected, sequence + 1);
    }
    if (expected - 1 !== lastSequence) {
      report('gap', `the log of organization ${organizationId} ends at ${expected - 1}, its head at ${lastSequence}`);
    }
  }
  const told = new Set<string>();
  for (const { organizationId, taskId, type, sequence } of rows.events) {
    const step = `${type} of task ${taskId} of organization ${organizationId}`;
    if (told.has(step)) report('doubled-event', `${step} happened again at ${sequence}`);
    told.add(step);
  }
}

function checkEventsAndRows(rows: FinalRows, report: Report): void {
  const tasks = new Map(rows.tasks.map((task) => [keyOf(task.organizationId, task.id), task]));
  const steps = new Set(
    rows.history.map(({ organizationId, taskId, sequence }) => keyOf(organizationId, taskId, sequence)),
  );
  const told = new Set<string>();
  for (const { organizationId, taskId, sequence, type } of rows.events) {
    const task = tasks.get(keyOf(organizationId, taskId));
    const fits = task && (type !== 'task.status_changed' || task.status === 'cancelled');
    if (!fits)
      report('event-without-row', `${type} at ${sequence} tells of task ${taskId}, which is ${describe(task)}`);
    if (!steps.delete(keyOf(organizationId, taskId, sequence))) {
      report('event-without-row', `${type} at ${sequence} has no step in the history of task ${taskId}`);
    }
    told.add(keyOf(organizationId, taskId, type));
  }
  for (const step of steps) report('row-without-event', `the history has a step that the log does not tell: ${step}`);
  for (const { organizationId, id, status } of rows.tasks) {
    const isTold = (type: string) => told.has(keyOf(organizationId, id, type));
    if (!isTold('task.created')) report('row-without-event', `the log does not tell of the making of task ${id}`);
    if (status === 'cancelled' && !isTold('task.status_changed')) {
      report('row-without-event', `the log does not tell of the cancelling of task ${id}`);
    }
  }
}

/** In the order of the log the epoch never falls, and what a new owner found when it took over was all there was. */
function checkWriters(journal: JournalView, rows: FinalRows, report: Report): void {
  for (const [organizationId, events] of groupBy(rows.events, (event) => event.organizationId)) {
    let newest = 0;
    for (const { sequence, epoch } of [...events].sort((a, b) => a.sequence - b.sequence)) {
      if (epoch < newest) {
        report(
          'second-writer',
          `organization ${organizationId}: ${sequence} is of epoch ${epoch}, after epoch ${newest}`,
        );
      }
      newest = Math.max(newest, epoch);
    }
    for (const takeover of journal.takeovers.filter((one) => one.organizationId === organizationId)) {
      for (const { sequence, epoch } of events) {
        if (epoch >= takeover.epoch || sequence <= takeover.sequence) continue;
        const late = `${sequence} of epoch ${epoch} came after epoch ${takeover.epoch} had begun at ${takeover.sequence}`;
        report('second-writer', `organization ${organizationId}: ${late}`);
      }
    }
  }
}

function checkStreams(journal: JournalView, rows: FinalRows, report: Report): void {
  const heads = new Map(rows.heads.map((head) => [head.organizationId, head.lastSequence]));
  const log = new Map(rows.events.map((event) => [keyOf(event.organizationId, event.sequence), event.taskId]));
  for (const { organizationId, after, seen } of journal.streams) {
    let expected = after + 1;
    for (const { sequence, taskId } of seen) {
      const logged = log.get(keyOf(organizationId, sequence));
      if (logged !== taskId) report('stream-phantom', `${sequence} showed task ${taskId}, the log has task ${logged}`);
      if (sequence < expected) report('stream-repeated', `${sequence} came again, ${expected} was to come`);
      if (sequence > expected) report('stream-missed', `${expected} to ${sequence - 1} did not come`);
      expected = Math.max(expected, sequence + 1);
    }
    const last = heads.get(organizationId) ?? 0;
    if (expected <= last)
      report('stream-missed', `${expected} to ${last} of organization ${organizationId} did not come`);
  }
}

function checkUsage(rows: FinalRows, report: Report): void {
  const used = new Map(rows.usage.map((usage) => [usage.organizationId, usage.used]));
  const made = groupBy(rows.tasks, ({ organizationId }) => organizationId);
  for (const { organizationId } of rows.heads) {
    const [counted, there] = [used.get(organizationId) ?? 0, made.get(organizationId)?.length ?? 0];
    if (counted !== there) report('usage', `organization ${organizationId} has ${there} tasks and counts ${counted}`);
  }
}

function checkTimers(rows: FinalRows, report: Report): void {
  const heads = new Map(rows.heads.map((head) => [head.organizationId, head.nextDeadlineAt]));
  for (const { organizationId, id, deadlineAt } of rows.tasks) {
    const next = heads.get(organizationId) ?? null;
    if (deadlineAt === null || (next !== null && next <= deadlineAt)) continue;
    report('lost-timer', `task ${id} is due at ${deadlineAt}, its organization is looked at ${next ?? 'never'}`);
  }
}

function isAcknowledged(outcome: Outcome): outcome is Extract<Outcome, { kind: 'acknowledged' }> {
  return outcome.kind === 'acknowledged';
}

/** An attempt without any outcome may have been carried out like one of unknown outcome. */
function isDenied({ outcomes }: JournaledOperation): boolean {
  return outcomes.length > 0 && outcomes.every(({ kind }) => kind === 'refused');
}

function describe(task: { readonly name: string; readonly status: string } | undefined): string {
  return task ? `${task.name}, ${task.status}` : 'not there';
}

function groupBy<K, T>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}

function keyOf(...parts: readonly (string | number)[]): string {
  return parts.join(' ');
}
