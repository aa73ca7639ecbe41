import type { OrganizationRecord } from '../../../schema/accounts/organization.ts';
import type { AssignmentRequestRecord } from '../../../schema/assignment/assignment.ts';
import type { Answer, Command } from '../../../schema/commands.ts';
import type { CustomerRecord } from '../../../schema/customers/customer.ts';
import type { LocationRecord } from '../../../schema/customers/location.ts';
import type { WarehouseRecord } from '../../../schema/customers/warehouse.ts';
import type { LoggedEvent } from '../../../schema/events.ts';
import type { AgentRecord } from '../../../schema/fleet/agent.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { EntryRecord, TransferRecord } from '../../../schema/money/ledger.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import type { PackageRecord } from '../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import type { TaskHistoryRecord } from '../../../schema/tasks/task-history.ts';
import type { Belongings } from '../../domain/tasks/task-filter.ts';
import type { IdempotencyRecord } from '../../store/actor/actor-store.ts';
import type { AuditRecord } from '../../store/actor/commit-store.ts';
import { encodeRecord } from '../../store/rows/encode-record.ts';
import type { Change } from '../state/changes.ts';
import { helpsSearches } from './helps-searches.ts';

/** A command in progress: its caller, and its answer once the batch is durable. */
export interface PendingCommand {
  readonly command: Command;
  readonly settle: (answer: Answer) => void;
  /** Set once it was in a batch that Postgres refused. */
  readonly retried?: boolean;
}

export interface Decided extends PendingCommand {
  readonly answer: () => Answer;
  /** False for reads and refusals, which only wait for what they rest on. */
  readonly changes: boolean;
}

/** A row in its last state, and the version that Postgres must hold before: 0 for a new row. */
export interface StagedRow<T> {
  readonly record: T;
  readonly expectedVersion: number;
}

/** A task before and after a change; `before` is null for a new one. */
export interface TaskChange {
  readonly before: TaskRecord | null;
  readonly after: TaskRecord;
  /** The records beside the task that lists may look into, at both times. */
  readonly belongings?: { readonly before: Belongings | undefined; readonly after: Belongings };
}

type Tombstone = Extract<Change, { kind: 'put-tombstone' }>;

/** A new place, and the task that it was made for, if it was made for one. */
export interface StagedLocation {
  readonly location: LocationRecord;
  readonly taskId: number | null;
}

/**
 * The decisions of one organization since its last batch was taken: rows in their last state, events, and the waiting
 * callers. The actor fills it until a group takes it; then it never changes again.
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
  readonly warehouses = new Map<number, StagedRow<WarehouseRecord>>();
  readonly agents = new Map<number, StagedRow<AgentRecord>>();
  readonly requests = new Map<number, StagedRow<AssignmentRequestRecord>>();
  readonly payments = new Map<number, StagedRow<PaymentRecord>>();
  readonly transfers: TransferRecord[] = [];
  readonly ledgerEntries: EntryRecord[] = [];
  /** Hashes that the users of new agents sign in with, by the agent's id. */
  readonly passwords = new Map<number, string>();
  readonly locations: StagedLocation[] = [];
  readonly taskChanges: TaskChange[] = [];
  readonly history: TaskHistoryRecord[] = [];
  readonly events: LoggedEvent[] = [];
  readonly idempotency: IdempotencyRecord[] = [];
  readonly usage = new Map<string, { readonly resource: string; readonly period: string; readonly used: number }>();
  /** Encoded when they are noted: only then is it known how much a batch holds. */
  readonly audit: string[] = [];
  /** The organization's own row, if it changes. */
  organization: StagedRow<OrganizationRecord> | undefined;
  tombstone: Tombstone | undefined;
  /** Something in it may let a task find an agent that found none before. */
  helpsSearches = false;
  /** The results of searches may have changed by more than the changed tasks tell. */
  blursTextSearches = false;
  /** An agent is inactive behind it. */
  #endsActivity = false;
  readonly entries: Decided[] = [];
  /** An estimate: what is exact is counted when the group is encoded. */
  bytes = 0;
  rows = 0;
  /** Set when a group takes the batch: from then on only its waiting callers change. */
  closed = false;

  constructor(organizationId: number, ticket: number, expectedSequence: number) {
    this.organizationId = organizationId;
    this.ticket = ticket;
    this.expectedSequence = expectedSequence;
    this.lastSequence = expectedSequence;
  }

  /**
   * Nothing more goes into it. The end of an agent's activity is in a commit of its own: together with the return, it
   * would leave the row as it was, and the agent's sessions with it.
   */
  get isFull(): boolean {
    return this.#endsActivity || this.rows >= LIMITS.batchRows || this.bytes >= LIMITS.batchBytes;
  }

  /** Takes a change in. `before` is the task that a `put-task` replaces, as memory had it. */
  stage(change: Change, before: TaskRecord | undefined, belongings?: TaskChange['belongings']): void {
    this.helpsSearches ||= helpsSearches(change, before);
    switch (change.kind) {
      case 'put-task':
        stageRow(this.tasks, change.task);
        this.taskChanges.push({ before: before ?? null, after: change.task, ...(belongings && { belongings }) });
        this.rows += 1;
        break;
      case 'put-package':
        stageRow(this.packages, change.record);
        this.rows += 1;
        break;
      case 'put-location':
        this.locations.push(change);
        this.rows += 1;
        break;
      case 'put-customer':
        stageRow(this.customers, change.customer);
        this.rows += 1;
        break;
      case 'put-warehouse':
        stageRow(this.warehouses, change.facts.warehouse);
        this.rows += 1;
        break;
      case 'put-agent':
        stageRow(this.agents, change.agent);
        this.#endsActivity ||= !change.agent.isActive;
        if (change.passwordHash) this.passwords.set(change.agent.id, change.passwordHash);
        this.rows += 1;
        break;
      case 'put-request':
        stageRow(this.requests, change.request);
        this.rows += 1;
        break;
      case 'put-payment':
        stageRow(this.payments, change.payment);
        this.rows += 1;
        break;
      case 'move-money':
        this.transfers.push(change.transfer);
        this.ledgerEntries.push(...change.entries);
        this.rows += 1 + change.entries.length;
        break;
      case 'count-usage':
        this.usage.set(`${change.resource} ${change.period}`, change);
        break;
      case 'put-organization':
        this.organization = {
          record: change.organization,
          expectedVersion: this.organization?.expectedVersion ?? change.organization.version - 1,
        };
        this.rows += 1;
        break;
      case 'put-tombstone':
        this.tombstone = change;
        this.rows += 1;
        break;
      case 'tell':
      case 'tell-agent':
      case 'tell-request':
      case 'tell-payment':
      case 'scan-timers':
        break;
    }
  }

  noteAudit(line: AuditRecord): void {
    const encoded = encodeRecord(line);
    this.audit.push(encoded);
    this.bytes += encoded.length;
    this.rows += 1;
  }

  /** `history`: the task's step in the event, if the event is about a task. */
  log(event: LoggedEvent, history?: TaskHistoryRecord): void {
    this.events.push(event);
    if (history) this.history.push(history);
    this.lastSequence = event.sequence;
    // The history tells once more what changed, before and after.
    this.bytes += event.body.length * (history?.changes ? 3 : 1);
    this.rows += 2;
  }

  remember(record: IdempotencyRecord): void {
    this.idempotency.push(record);
    // A body that an event already holds is not sent twice.
    if (record.toldAt === null) this.bytes += record.body.length;
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
