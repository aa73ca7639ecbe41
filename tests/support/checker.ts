import { type JournaledOperation, type JournalView, namesOf, type Operation, type Outcome } from './journal.ts';

/** The rows of the organizations under test, read when nothing is in flight. */
export interface FinalRows {
  readonly tasks: readonly {
    readonly organizationId: number;
    readonly id: number;
    /** The key of the operation that created it. */
    readonly name: string;
    readonly status: string;
    /** The key of the operation that updated it. */
    readonly notes: string | null;
    readonly parentId: number | null;
    /** The values by which counters count it: status, type, channel, time to serve. */
    readonly kind: string;
    /** The time of its timer; null when it has none. */
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
    /** The time of the next look at the organization's timers. */
    readonly nextDeadlineAt: string | null;
  }[];
  /** The number that counts against the quota, over all periods. */
  readonly usage: readonly {
    readonly organizationId: number;
    readonly resource: 'tasks' | 'customers';
    readonly used: number;
  }[];
  readonly customers: readonly { readonly organizationId: number; readonly count: number }[];
  /** The number of tasks of each kind, by the counters. */
  readonly counters: readonly { readonly organizationId: number; readonly kind: string; readonly count: number }[];
}

export type Rule =
  /** The rows do not show a change that was answered with 2xx. */
  | 'lost'
  /** One operation was carried out twice. */
  | 'doubled-task'
  /** A row without a request, or whose every attempt was answered as not executed. */
  | 'phantom'
  /** Two answers to one operation differ. */
  | 'changed-answer'
  /** A refusal that neither a crash nor the state of the task explains. */
  | 'wrong-answer'
  | 'gap'
  | 'doubled-event'
  | 'event-without-row'
  | 'row-without-event'
  /** Two processes wrote at the same time. */
  | 'second-writer'
  | 'stream-missed'
  | 'stream-repeated'
  /** A stream showed an event that the log does not hold: it was undone. */
  | 'stream-phantom'
  | 'usage'
  /** The counters of lists differ from the rows. */
  | 'counters'
  /** A task has a timer that no scan will meet in time. */
  | 'lost-timer';

export interface Violation {
  readonly rule: Rule;
  readonly message: string;
}

type Report = (rule: Rule, message: string) => void;

/** Whether a test provokes an answer with this status. */
export type IsProvoked = (operation: Operation, status: number) => boolean;

/** Compares the answers of all clients with the rows. Returns an empty list when every promise was kept. */
export function findViolations(
  journal: JournalView,
  rows: FinalRows,
  isProvoked: IsProvoked = () => false,
): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (rule, message) => violations.push({ rule, message });
  checkAnswers(journal, rows, report);
  checkRefusals(journal, isProvoked, report);
  checkTasks(journal, rows, report);
  checkLog(rows, report);
  checkEventsAndRows(rows, report);
  checkWriters(journal, rows, report);
  checkStreams(journal, rows, report);
  checkUsage(rows, report);
  checkCounters(rows, report);
  checkTimers(rows, report);
  return violations;
}

function checkAnswers(journal: JournalView, rows: FinalRows, report: Report): void {
  const tasks = new Map(rows.tasks.map((task) => [keyOf(task.organizationId, task.id), task]));
  const heads = new Map(rows.heads.map((head) => [head.organizationId, head.lastSequence]));
  for (const { operation, outcomes } of journal.operations.values()) {
    const { key, kind, organizationId } = operation;
    const told = outcomes.filter(isAcknowledged);
    for (const { taskId, taskIds = [taskId], sequence, data } of told) {
      const task = tasks.get(keyOf(organizationId, taskId));
      const isChanged = kind === 'update' ? task?.notes === key : task?.status === 'cancelled';
      const made = namesOf(operation);
      const isThere =
        made.length === 0
          ? isChanged
          : made.every((name, index) => tasks.get(keyOf(organizationId, taskIds[index] ?? 0))?.name === name);
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
      report('lost', `${key} was refused because task ${operation.taskId} had ended, and it has not`);
    }
  }
}

/** Clients of a gateway that is in trouble hear 503, and of a task that has ended 409. */
function checkRefusals(journal: JournalView, isProvoked: IsProvoked, report: Report): void {
  for (const { operation, outcomes } of journal.operations.values()) {
    for (const outcome of outcomes) {
      if (outcome.kind === 'acknowledged' || outcome.status === undefined || outcome.status === 503) continue;
      const hasEnded = operation.kind === 'cancel' && outcome.status === 409;
      if (hasEnded || isProvoked(operation, outcome.status)) continue;
      const what = outcome.kind === 'unknown' ? outcome.why : `${outcome.status} ${outcome.code ?? 'without a code'}`;
      report('wrong-answer', `${operation.kind} ${operation.key} was answered ${what}`);
    }
  }
}

function checkTasks(journal: JournalView, rows: FinalRows, report: Report): void {
  const rowsByKey = groupBy(rows.tasks, ({ organizationId, name }) => keyOf(organizationId, name));
  for (const [key, found] of rowsByKey) {
    const { organizationId, name } = found[0]!;
    if (found.length > 1)
      report('doubled-task', `${key} was carried out as tasks ${found.map(({ id }) => id).join(', ')}`);
    const sent = journal.operations.get(name.replace(/\/\d+$/, ''));
    if (sent?.operation.organizationId !== organizationId || !namesOf(sent.operation).includes(name)) {
      report('phantom', `no client asked organization ${organizationId} for the task ${name}`);
    } else if (isDenied(sent)) {
      report('phantom', `${name} is there, and all its attempts were answered as not executed`);
    }
  }
  checkChanges(journal, rows, report);
}

/** A client asked for every change, and a cancelled job has taken its children with it. */
function checkChanges(journal: JournalView, rows: FinalRows, report: Report): void {
  const asked = groupBy([...journal.operations.values()], ({ operation: { kind, organizationId, taskId } }) =>
    keyOf(kind, organizationId, taskId ?? 0),
  );
  const check = (kind: 'cancel' | 'update', organizationId: number, taskIds: readonly number[]) => {
    const found = taskIds.flatMap((id) => asked.get(keyOf(kind, organizationId, id)) ?? []);
    if (found.some((sent) => !isDenied(sent))) return;
    const why = found.length > 0 ? 'all who asked were refused' : 'nobody asked';
    report('phantom', `task ${taskIds[0]} has been changed (${kind}), and ${why}`);
  };
  const statuses = new Map(rows.tasks.map(({ organizationId, id, status }) => [keyOf(organizationId, id), status]));
  for (const { organizationId, id, parentId, status, notes } of rows.tasks) {
    if (status === 'cancelled') check('cancel', organizationId, parentId === null ? [id] : [id, parentId]);
    else if (parentId !== null && statuses.get(keyOf(organizationId, parentId)) === 'cancelled')
      report('lost', `task ${id} goes on although its job ${parentId} is cancelled`);
    if (notes !== null) check('update', organizationId, [id]);
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
    const isSo = { 'task.status_changed': task?.status === 'cancelled', 'task.updated': task?.notes != null }[type];
    const fits = task && isSo !== false;
    if (!fits)
      report('event-without-row', `${type} at ${sequence} is an event of task ${taskId}, which is ${describe(task)}`);
    if (!steps.delete(keyOf(organizationId, taskId, sequence))) {
      report('event-without-row', `${type} at ${sequence} has no step in the history of task ${taskId}`);
    }
    told.add(keyOf(organizationId, taskId, type));
  }
  for (const step of steps) report('row-without-event', `the history has a step without an event in the log: ${step}`);
  for (const { organizationId, id, status, notes } of rows.tasks) {
    const isTold = (type: string) => told.has(keyOf(organizationId, id, type));
    if (!isTold('task.created')) report('row-without-event', `the log has no event for the creation of task ${id}`);
    if (status === 'cancelled' && !isTold('task.status_changed')) {
      report('row-without-event', `the log has no event for the cancellation of task ${id}`);
    }
    if (notes !== null && !isTold('task.updated')) {
      report('row-without-event', `the log has no event for the update of task ${id}`);
    }
  }
}

/** In the order of the log the epoch never falls, and the log that a new owner found was complete. */
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
  const used = new Map(rows.usage.map((usage) => [keyOf(usage.organizationId, usage.resource), usage.used]));
  const tasks = groupBy(rows.tasks, ({ organizationId }) => organizationId);
  const customers = new Map(rows.customers.map(({ organizationId, count }) => [organizationId, count]));
  for (const { organizationId } of rows.heads) {
    const made = { tasks: tasks.get(organizationId)?.length ?? 0, customers: customers.get(organizationId) ?? 0 };
    for (const [resource, there] of Object.entries(made)) {
      const counted = used.get(keyOf(organizationId, resource)) ?? 0;
      if (counted !== there)
        report('usage', `organization ${organizationId} has ${there} ${resource} and counts ${counted}`);
    }
  }
}

function checkCounters(rows: FinalRows, report: Report): void {
  const there = groupBy(rows.tasks, ({ organizationId, kind }) => keyOf(organizationId, kind));
  const counted = new Map(rows.counters.map(({ organizationId, kind, count }) => [keyOf(organizationId, kind), count]));
  for (const kind of new Set([...there.keys(), ...counted.keys()])) {
    const [tasks, count] = [there.get(kind)?.length ?? 0, counted.get(kind) ?? 0];
    if (tasks !== count) report('counters', `there are ${tasks} tasks of ${kind}, and ${count} are counted`);
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

/** An attempt without an answer may have been carried out, like one with an unknown outcome. */
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
