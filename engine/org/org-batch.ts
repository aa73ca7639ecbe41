import type { Answer, Command } from '../../schema/commands.ts';
import type { CustomerRecord } from '../../schema/customer.ts';
import type { LoggedEvent } from '../../schema/events.ts';
import type { LocationRecord } from '../../schema/location.ts';
import type { PackageRecord } from '../../schema/package.ts';
import type { TaskHistoryRecord, TaskRecord } from '../../schema/task.ts';
import type { IdempotencyRecord } from '../store/org-store.ts';
import type { Change } from './changes.ts';

/** A command on its way: who waits for it, and what it will be told once the batch is durable. */
export interface Pending {
  readonly command: Command;
  readonly settle: (answer: Answer) => void;
  /** Set once it was in a batch that Postgres refused. */
  readonly retried?: boolean;
}

export interface Decided extends Pending {
  readonly answer: () => Answer;
  /** False for reads and refusals, which only wait for what they rest on. */
  readonly changes: boolean;
}

/** A row in its last state, and the version that Postgres must hold before: 0 for a new row. */
export interface StagedRow<T> {
  readonly record: T;
  readonly expectedVersion: number;
}

/**
 * What one organization decided since its last batch was taken: rows in their last state, events, and everyone who
 * waits for it. Filled by the actor until a group takes it; then it never changes again.
 */
export class OrgBatch {
  readonly organizationId: number;
  readonly ticket: number;
  readonly expectedSequence: number;
  lastSequence: number;
  lastAt = '';
  nextDeadlineAt: string | null = null;

  readonly customers = new Map<number, StagedRow<CustomerRecord>>();
  readonly tasks = new Map<number, StagedRow<TaskRecord>>();
  readonly packages = new Map<number, StagedRow<PackageRecord>>();
  readonly locations: LocationRecord[] = [];
  readonly history: TaskHistoryRecord[] = [];
  readonly events: LoggedEvent[] = [];
  readonly idempotency: IdempotencyRecord[] = [];
  readonly usage = new Map<string, { readonly resource: string; readonly period: string; readonly used: number }>();
  readonly entries: Decided[] = [];
  /** An estimate: what is exact is counted when the group is encoded. */
  bytes = 0;
  rows = 0;
  /** Set when a group takes the batch: from then on it never changes, but for those who wait for it. */
  closed = false;

  constructor(organizationId: number, ticket: number, expectedSequence: number) {
    this.organizationId = organizationId;
    this.ticket = ticket;
    this.expectedSequence = expectedSequence;
    this.lastSequence = expectedSequence;
  }

  stage(change: Change): void {
    switch (change.kind) {
      case 'customer-created':
      case 'customer-changed':
        stageRow(this.customers, change.customer);
        this.rows += 1;
        break;
      case 'task-created':
        stageRow(this.tasks, change.task);
        this.locations.push(...change.newLocations);
        for (const record of change.packages) stageRow(this.packages, record);
        this.rows += 1 + change.newLocations.length + change.packages.length;
        break;
      case 'package-moved':
        stageRow(this.packages, change.after);
        this.rows += 1;
        break;
      case 'task-status-changed':
        stageRow(this.tasks, change.task);
        for (const record of change.changedPackages) stageRow(this.packages, record);
        this.rows += 1 + change.changedPackages.length;
        break;
      case 'task-delayed':
        stageRow(this.tasks, change.task);
        this.rows += 1;
        break;
      case 'usage-counted':
        this.usage.set(`${change.resource} ${change.period}`, change);
        break;
      case 'timers-scanned':
        break;
    }
  }

  log(event: LoggedEvent, history: TaskHistoryRecord | undefined): void {
    this.events.push(event);
    this.lastSequence = event.sequence;
    this.bytes += event.body.length;
    this.rows += 1;
    if (history) {
      this.history.push(history);
      this.rows += 1;
    }
  }

  remember(record: IdempotencyRecord): void {
    this.idempotency.push(record);
    this.bytes += record.body.length;
    this.rows += 1;
  }
}

/** Keeps the version that Postgres holds when a row changes more than once in a batch. */
function stageRow<T extends { readonly id: number; readonly version: number }>(
  rows: Map<number, StagedRow<T>>,
  record: T,
): void {
  const before = rows.get(record.id);
  if (before && before.record.version === record.version) return;
  rows.set(record.id, { record, expectedVersion: before?.expectedVersion ?? record.version - 1 });
}
