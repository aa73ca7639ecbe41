import type { AgentRecord } from '../../schema/agent.ts';
import type { CustomerRecord } from '../../schema/customer.ts';
import type { LocationRecord } from '../../schema/location.ts';
import type { PackageRecord } from '../../schema/package.ts';
import type { TaskBundle, TaskRecord } from '../../schema/task.ts';
import type { FetchedRecords, IdempotencyRecord, OrganizationHead } from '../store/org-store.ts';
import type { Change } from './changes.ts';

/** A task with the records that belong to it alone. Customers and agents are shared and kept apart. */
export interface LiveTask {
  readonly task: TaskRecord;
  readonly location: LocationRecord | null;
  readonly pickupLocation: LocationRecord | null;
  readonly packages: readonly PackageRecord[];
  /** Batch that carries the newest change of the task; 0 when it was read from Postgres. */
  readonly ticket: number;
  /** Sequence of the log at which the task became what it is; 0 when it was read from Postgres. */
  readonly sequence: number;
}

interface Live<T> {
  readonly record: T;
  readonly ticket: number;
}

export interface StateBounds {
  readonly tasks: number;
  readonly customers: number;
  readonly idempotencyKeys: number;
}

/**
 * The live state of one organization. `apply` is its only mutator for decisions; `absorb` takes in what was read
 * from Postgres, where memory always wins. Maps keep their entries in order of use, oldest first.
 *
 * Invariant: a record with a change that is not durable stays (evict asks for the durable ticket).
 */
export class OrgState {
  readonly organizationId: number;
  readonly currency: string;
  readonly limits: OrganizationHead['limits'];
  lastSequence: number;
  /** Newest sequence that is durable; kept up by the actor. */
  durableSequence: number;
  lastAtMs: number;
  nextDeadlineAt: string | null;
  /** Earliest deadline set since the timers were last looked at; they may have missed it. */
  deadlineSinceScan: string | null = null;

  readonly #tasks = new Map<number, LiveTask>();
  readonly #taskIdByCode = new Map<string, number>();
  readonly #customers = new Map<number, Live<CustomerRecord>>();
  readonly #customerIdByPhone = new Map<string, number>();
  readonly #customerIdsByEmail = new Map<string, Set<number>>();
  readonly #taskIdByPackage = new Map<number, number>();
  readonly #loosePackages = new Map<number, Live<PackageRecord>>();
  readonly #locations = new Map<number, LocationRecord>();
  readonly #agents = new Map<number, AgentRecord>();
  readonly #channels = new Set<number>();
  readonly #usage = new Map<string, number>();
  readonly #idempotency = new Map<string, Live<IdempotencyRecord>>();

  constructor(head: OrganizationHead) {
    this.organizationId = head.organizationId;
    this.currency = head.currency;
    this.limits = head.limits;
    this.lastSequence = head.lastSequence;
    this.durableSequence = head.lastSequence;
    this.lastAtMs = Date.parse(head.lastAt);
    this.nextDeadlineAt = head.nextDeadlineAt;
    for (const { resource, period, used } of head.usage) this.#usage.set(`${resource} ${period}`, used);
  }

  findTask(id: number): LiveTask | undefined {
    return this.#tasks.get(id);
  }

  hasTask(id: number): boolean {
    return this.#tasks.has(id);
  }

  findTaskByCode(code: string): LiveTask | undefined {
    const id = this.#taskIdByCode.get(code);
    return id === undefined ? undefined : this.#tasks.get(id);
  }

  findCustomer(id: number): CustomerRecord | undefined {
    return this.#customers.get(id)?.record;
  }

  findCustomerByPhone(phoneE164: string): CustomerRecord | undefined {
    const id = this.#customerIdByPhone.get(phoneE164);
    return id === undefined ? undefined : this.findCustomer(id);
  }

  /** A customer without a phone of its own who has this e-mail address. */
  findPhonelessCustomer(email: string): CustomerRecord | undefined {
    for (const id of this.#customerIdsByEmail.get(email.toLowerCase()) ?? []) {
      const customer = this.findCustomer(id);
      if (customer && customer.phoneE164 === null) return customer;
    }
    return undefined;
  }

  findLocation(id: number): LocationRecord | undefined {
    return this.#locations.get(id);
  }

  findAgent(id: number): AgentRecord | undefined {
    return this.#agents.get(id);
  }

  hasChannel(id: number): boolean {
    return this.#channels.has(id);
  }

  /** A package with the task it is attached to, if any. */
  findPackage(id: number): { readonly record: PackageRecord; readonly owner: TaskRecord | null } | undefined {
    const loose = this.#loosePackages.get(id);
    if (loose) return { record: loose.record, owner: null };
    const owner = this.#tasks.get(this.#taskIdByPackage.get(id) ?? 0);
    const record = owner?.packages.find((candidate) => candidate.id === id);
    return owner && record ? { record, owner: owner.task } : undefined;
  }

  usedOf(resource: string, period: string): number {
    return this.#usage.get(`${resource} ${period}`) ?? 0;
  }

  findIdempotency(scopedKey: string): Live<IdempotencyRecord> | undefined {
    return this.#idempotency.get(scopedKey);
  }

  rememberIdempotency(scopedKey: string, record: IdempotencyRecord, ticket: number): void {
    this.#idempotency.set(scopedKey, { record, ticket });
  }

  bundleOf(live: LiveTask): TaskBundle {
    const { task, location, pickupLocation, packages } = live;
    return {
      task,
      customer: task.customerId === null ? null : (this.findCustomer(task.customerId) ?? null),
      agent: task.agentId === null ? null : (this.findAgent(task.agentId) ?? null),
      location,
      pickupLocation,
      packages,
    };
  }

  /** What the JSON of a task rests on: the batch that must be durable, and a place in the log where it is true. */
  basisOf(live: LiveTask): { readonly ticket: number; readonly sequence: number } {
    const customerTicket = this.#customers.get(live.task.customerId ?? 0)?.ticket ?? 0;
    if (customerTicket > live.ticket) return { ticket: customerTicket, sequence: this.lastSequence };
    return { ticket: live.ticket, sequence: Math.max(live.sequence, this.durableSequence) };
  }

  /** Makes memory what the decision says. `ticket` is the batch that will make it durable. */
  apply(change: Change, ticket: number): void {
    switch (change.kind) {
      case 'customer-created':
      case 'customer-changed':
        this.#putCustomer(change.customer, ticket);
        break;
      case 'task-created': {
        const { task, location, pickupLocation, packages } = change;
        this.#putTask({ task, location, pickupLocation, packages, ticket, sequence: this.lastSequence });
        break;
      }
      case 'package-moved':
        this.#detachPackage(change.before, ticket);
        break;
      case 'task-status-changed':
        this.#replaceTask(change.task, change.packages, ticket);
        break;
      case 'task-delayed':
        this.#replaceTask(change.task, undefined, ticket);
        break;
      case 'usage-counted':
        this.#usage.set(`${change.resource} ${change.period}`, change.used);
        break;
      case 'timers-scanned':
        this.nextDeadlineAt = change.nextDeadlineAt;
        this.deadlineSinceScan = null;
        break;
    }
  }

  /** Takes in records read from Postgres, unless memory has them: memory is newer or the same. */
  absorb(fetched: FetchedRecords): void {
    for (const bundle of fetched.tasks) this.absorbTask(bundle);
    for (const customer of fetched.customers) this.#absorbCustomer(customer);
    for (const location of fetched.locations) this.#locations.set(location.id, location);
    for (const agent of fetched.agents) this.#agents.set(agent.id, agent);
    for (const id of fetched.channelIds) this.#channels.add(id);
    for (const record of fetched.loosePackages) {
      if (this.findPackage(record.id) === undefined) this.#loosePackages.set(record.id, { record, ticket: 0 });
    }
    for (const record of fetched.idempotency) {
      const scopedKey = scopedKeyOf(record);
      if (!this.#idempotency.has(scopedKey)) this.#idempotency.set(scopedKey, { record, ticket: 0 });
    }
  }

  absorbTask(bundle: TaskBundle): void {
    if (this.#tasks.has(bundle.task.id)) return;
    if (bundle.customer) this.#absorbCustomer(bundle.customer);
    if (bundle.agent) this.#agents.set(bundle.agent.id, bundle.agent);
    const { task, location, pickupLocation, packages } = bundle;
    // A package that has moved in memory since is the other task's, whatever was read.
    const own = packages.filter(({ id }) => !this.#loosePackages.has(id) && !this.#taskIdByPackage.has(id));
    this.#putTask({ task, location, pickupLocation, packages: own, ticket: 0, sequence: 0 });
  }

  /** Marks a task as used now, so that others leave memory before it. */
  touchTask(live: LiveTask): void {
    this.#tasks.delete(live.task.id);
    this.#tasks.set(live.task.id, live);
  }

  /**
   * Lets records go when there are more than the bounds allow, the longest unused first, never one that is not
   * durable. Goes a fifth below the bound, so that the work is done rarely.
   */
  evict(durableTicket: number, bounds: StateBounds): void {
    evictOldest(this.#tasks, bounds.tasks, durableTicket, (live) => {
      this.#taskIdByCode.delete(live.task.code);
      for (const { id } of live.packages) this.#taskIdByPackage.delete(id);
    });
    if (this.#customers.size > bounds.customers) {
      const inUse = new Set<number | null>();
      for (const live of this.#tasks.values()) inUse.add(live.task.customerId);
      evictOldest(
        this.#customers,
        bounds.customers,
        durableTicket,
        ({ record }) => this.#unindexCustomer(record),
        inUse,
      );
    }
    evictOldest(this.#idempotency, bounds.idempotencyKeys, durableTicket);
    evictOldest(this.#loosePackages, bounds.tasks, durableTicket);
    if (this.#locations.size > bounds.tasks) this.#locations.clear();
  }

  #putTask(live: LiveTask): void {
    this.#tasks.delete(live.task.id);
    this.#tasks.set(live.task.id, live);
    this.#taskIdByCode.set(live.task.code, live.task.id);
    for (const { id } of live.packages) {
      this.#taskIdByPackage.set(id, live.task.id);
      this.#loosePackages.delete(id);
    }
    this.#noteDeadline(live.task.deadlineAt);
  }

  #replaceTask(task: TaskRecord, packages: readonly PackageRecord[] | undefined, ticket: number): void {
    const before = this.#tasks.get(task.id)!;
    this.#putTask({ ...before, task, packages: packages ?? before.packages, ticket, sequence: this.lastSequence });
  }

  #detachPackage(record: PackageRecord, ticket: number): void {
    this.#loosePackages.delete(record.id);
    const ownerId = this.#taskIdByPackage.get(record.id);
    const owner = ownerId === undefined ? undefined : this.#tasks.get(ownerId);
    if (!owner) return;
    const packages = owner.packages.filter(({ id }) => id !== record.id);
    this.#taskIdByPackage.delete(record.id);
    this.#tasks.set(owner.task.id, { ...owner, packages, ticket, sequence: this.lastSequence });
  }

  #noteDeadline(deadlineAt: string | null): void {
    if (deadlineAt === null) return;
    if (this.nextDeadlineAt === null || deadlineAt < this.nextDeadlineAt) this.nextDeadlineAt = deadlineAt;
    if (this.deadlineSinceScan === null || deadlineAt < this.deadlineSinceScan) this.deadlineSinceScan = deadlineAt;
  }

  #absorbCustomer(customer: CustomerRecord): void {
    if (!this.#customers.has(customer.id)) this.#putCustomer(customer, 0);
  }

  #putCustomer(customer: CustomerRecord, ticket: number): void {
    const before = this.#customers.get(customer.id);
    if (before) this.#unindexCustomer(before.record);
    this.#customers.delete(customer.id);
    this.#customers.set(customer.id, { record: customer, ticket });
    if (customer.phoneE164 !== null) this.#customerIdByPhone.set(customer.phoneE164, customer.id);
    if (customer.email === null) return;
    const email = customer.email.toLowerCase();
    const ids = this.#customerIdsByEmail.get(email);
    if (ids) ids.add(customer.id);
    else this.#customerIdsByEmail.set(email, new Set([customer.id]));
  }

  #unindexCustomer(customer: CustomerRecord): void {
    if (customer.phoneE164 !== null) this.#customerIdByPhone.delete(customer.phoneE164);
    const email = customer.email?.toLowerCase();
    const ids = email === undefined ? undefined : this.#customerIdsByEmail.get(email);
    ids?.delete(customer.id);
    if (ids?.size === 0) this.#customerIdsByEmail.delete(email!);
  }
}

/** Removes entries in order of use until a fifth below the bound; entries in `kept` or not durable stay. */
function evictOldest<K, T extends { readonly ticket: number }>(
  entries: Map<K, T>,
  bound: number,
  durableTicket: number,
  forget: (entry: T) => void = () => {},
  kept: ReadonlySet<unknown> = new Set(),
): void {
  if (entries.size <= bound) return;
  const target = Math.floor(bound * 0.8);
  for (const [key, entry] of entries) {
    if (entries.size <= target) return;
    if (entry.ticket > durableTicket || kept.has(key)) continue;
    entries.delete(key);
    forget(entry);
  }
}

export function scopedKeyOf(key: { readonly scope: string; readonly key: string }): string {
  return `${key.scope}\n${key.key}`;
}
