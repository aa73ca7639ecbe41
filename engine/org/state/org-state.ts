import type { OrganizationRecord } from '../../../schema/accounts/organization.ts';
import type { AssignmentRequestRecord } from '../../../schema/assignment/assignment.ts';
import type { CustomerRecord } from '../../../schema/customers/customer.ts';
import type { LocationRecord } from '../../../schema/customers/location.ts';
import type { AgentOfTask, AgentRecord } from '../../../schema/fleet/agent.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { AccountBalance, AccountOwner } from '../../../schema/money/ledger.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import type { PackageRecord } from '../../../schema/tasks/package.ts';
import type { TaskBundle, TaskRecord } from '../../../schema/tasks/task.ts';
import { quotaPeriod } from '../../domain/quota.ts';
import type { FetchedRecords, IdempotencyRecord, OrganizationHead } from '../../store/actor/actor-store.ts';
import type { FetchedAgents } from '../../store/records/agent-store.ts';
import type { WarehouseWithLocation } from '../../store/records/warehouse-store.ts';
import { AgentLoads, type HeldTask } from './agent-loads.ts';
import { AgentBook } from './books/agent-book.ts';
import { ContactBook } from './books/contact-book.ts';
import { CustomerBook } from './books/customer-book.ts';
import { MoneyBook } from './books/money-book.ts';
import { PagedBook } from './books/paged-book.ts';
import { RequestBook } from './books/request-book.ts';
import { TaskBook } from './books/task-book.ts';
import type { Change, PutTask } from './changes.ts';
import { KeptAnswers } from './kept-answers.ts';
import { type Basis, evictOldest, type Live, type LiveTask, READ } from './live.ts';
import type { StateBounds } from './memory-bounds.ts';
import { RecencyMap } from './recency-map.ts';
import type { StateView, TaskFacts } from './state-view.ts';
import { Tallies } from './tallies.ts';

/**
 * The live state of one organization. `apply` is its only mutator for decisions; `absorb` adds records that were read
 * from Postgres, where memory always wins.
 * Invariants: a record with a change that is not durable stays (evict asks for the durable ticket); a job and its parts
 * are here together or not at all.
 */
export class OrgState implements StateView {
  readonly organizationId: number;
  organization: OrganizationRecord;
  /** The batch that ends the organization: every later decision rests on it. */
  deletedBy: number | undefined;
  lastSequence: number;
  /** Newest sequence that is durable; kept up by the actor. */
  durableSequence: number;
  lastAtMs: number;
  nextDeadlineAt: string | null;
  /** Earliest deadline set since the timers were last looked at; they may have missed it. */
  deadlineSinceScan: string | null = null;

  /** The contacts that might match besides the customers in memory. */
  readonly contacts = new ContactBook();
  /** Which codes tasks beside those in memory may have. */
  readonly codes = new PagedBook({ names: LIMITS.codeBookCodes });
  /** Which idempotency keys, as scopedKeyOf writes them, may have been used beside those in memory. */
  readonly keys = new PagedBook({ names: LIMITS.keyBookKeys, keptMs: LIMITS.keyBookMs });
  readonly money = new MoneyBook();
  readonly tallies: Tallies;

  readonly #tasks = new TaskBook();
  readonly #customers = new CustomerBook();
  readonly #taskIdByPackage = new Map<number, number>();
  readonly #loosePackages = new RecencyMap<number, Live<PackageRecord>>();
  readonly #locations = new Map<number, LocationRecord>();
  readonly #warehouses = new RecencyMap<number, Live<WarehouseWithLocation>>();
  readonly #agents = new AgentBook();
  readonly #loads = new AgentLoads();
  readonly #requests = new RequestBook();
  readonly #channels = new Set<number>();
  readonly #keptAnswers = new KeptAnswers();

  constructor(head: OrganizationHead) {
    this.organizationId = head.organization.organizationId;
    this.organization = head.organization;
    this.lastSequence = head.lastSequence;
    this.durableSequence = head.lastSequence;
    this.lastAtMs = Date.parse(head.lastAt);
    this.nextDeadlineAt = head.nextDeadlineAt;
    this.tallies = new Tallies(head);
  }

  findTask(id: number): LiveTask | undefined {
    return this.#tasks.find(id);
  }

  get taskCount(): number {
    return this.#tasks.size;
  }

  get customerCount(): number {
    return this.#customers.size;
  }

  hasTask(id: number): boolean {
    return this.#tasks.has(id);
  }

  hasTaskCode(code: string): boolean {
    return this.#tasks.hasCode(code);
  }

  findCustomer(id: number): CustomerRecord | undefined {
    return this.#customers.find(id);
  }

  findCustomerByPhone(phoneE164: string): CustomerRecord | undefined {
    return this.#customers.findByPhone(phoneE164);
  }

  findPhonelessCustomer(email: string): CustomerRecord | undefined {
    return this.#customers.findPhoneless(email);
  }

  findLocation(id: number): LocationRecord | undefined {
    return this.#locations.get(id);
  }

  findWarehouse(id: number): WarehouseWithLocation | undefined {
    return this.#warehouses.get(id)?.record;
  }

  findAgent(id: number): AgentRecord | undefined {
    return this.#agents.find(id);
  }

  /** An agent as far as tasks show it. */
  findShownAgent(id: number): AgentOfTask | undefined {
    return this.#agents.findShown(id);
  }

  isEmailTaken(email: string): boolean {
    return this.#agents.isEmailTaken(email);
  }

  /** Whether `heldBy` has the word on this agent. */
  knowsLoadOf(agentId: number): boolean {
    return this.#loads.knows(agentId);
  }

  heldBy(agentId: number): readonly HeldTask[] {
    return this.#loads.heldBy(agentId);
  }

  findRequest(id: number): AssignmentRequestRecord | undefined {
    return this.#requests.find(id);
  }

  knowsOpenRequestsOf(agentId: number): boolean {
    return this.#requests.knowsOpenOf(agentId);
  }

  openRequestsOf(agentId: number): AssignmentRequestRecord[] {
    return this.#requests.openOf(agentId);
  }

  findPayment(id: number): PaymentRecord | undefined {
    return this.money.findPayment(id);
  }

  findBalance(owner: AccountOwner, currency: string): AccountBalance | undefined {
    return this.money.findBalance(owner, currency);
  }

  hasChannel(id: number): boolean {
    return this.#channels.has(id);
  }

  /** A package with the task it is attached to, if any. */
  findPackage(id: number): { readonly record: PackageRecord; readonly owner: TaskRecord | null } | undefined {
    const loose = this.#loosePackages.get(id);
    if (loose) return { record: loose.record, owner: null };
    const owner = this.#tasks.find(this.#taskIdByPackage.get(id) ?? 0);
    const record = owner?.packages.find((candidate) => candidate.id === id);
    return owner && record ? { record, owner: owner.task } : undefined;
  }

  get openTasks(): number {
    return this.tallies.openTasks;
  }

  get movingTasks(): number {
    return this.tallies.movingTasks;
  }

  usedOf(resource: string, period: string): number {
    return this.tallies.usedOf(resource, period);
  }

  /** To be asked at each fetch of phones. */
  wantsContacts(): boolean {
    return this.contacts.isWanted(this.usedOf('customers', quotaPeriod('customers', '')));
  }

  findIdempotency(scopedKey: string): Live<IdempotencyRecord> | undefined {
    return this.#keptAnswers.find(scopedKey);
  }

  rememberIdempotency(scopedKey: string, record: IdempotencyRecord, ticket: number): void {
    this.#keptAnswers.put(scopedKey, record, { ticket, sequence: record.sequence });
  }

  bundleOf(live: TaskFacts): TaskBundle {
    const { task, location, pickupLocation, packages } = live;
    return {
      task,
      customer: task.customerId === null ? null : (this.findCustomer(task.customerId) ?? null),
      agent: task.agentId === null ? null : (this.#agents.findShown(task.agentId) ?? null),
      location,
      pickupLocation,
      packages,
      children: task.childIds === null ? NONE : task.childIds.map((id) => this.bundleOf(this.#tasks.find(id)!)),
    };
  }

  /** The basis of a task's JSON: the batch that must be durable, and a place in the log where it is true. */
  basisOf(live: LiveTask): Basis {
    let { ticket, sequence } = live;
    const include = (other: Basis | undefined) => {
      if (!other) return;
      ticket = Math.max(ticket, other.ticket);
      sequence = Math.max(sequence, other.sequence);
    };
    include(this.#customers.basisOf(live.task.customerId ?? 0));
    include(this.#agents.basisOf(live.task.agentId ?? 0));
    for (const id of live.task.childIds ?? NONE) include(this.basisOf(this.#tasks.find(id)!));
    return { ticket, sequence: Math.max(sequence, this.durableSequence) };
  }

  /**
   * Makes memory what the decision says. `ticket` is the batch that will make it durable; a `tell` has already been
   * given its sequence, `lastSequence`.
   */
  apply(change: Change, ticket: number): void {
    const basis = { ticket, sequence: this.lastSequence };
    switch (change.kind) {
      case 'put-task':
        this.tallies.countTask(this.#tasks.find(change.task.id)?.task, change.task);
        this.#putTask(this.#factsAfter(change), basis);
        break;
      case 'tell':
      case 'tell-request':
      case 'tell-payment':
        this.#tasks.find(change.taskId)!.sequence = this.lastSequence;
        break;
      case 'put-request':
        this.#requests.put(change.request, basis);
        break;
      case 'put-payment':
      case 'move-money':
        this.money.apply(change, basis);
        break;
      case 'tell-agent':
        this.#agents.tell(change.agentId, this.lastSequence);
        break;
      case 'put-customer':
        this.#customers.put(change.customer, basis);
        break;
      case 'put-agent':
        this.#agents.put(change.agent, basis);
        this.#noteDeadline(change.agent.deadlineAt);
        break;
      case 'put-warehouse':
        this.#warehouses.set(change.facts.warehouse.id, { record: change.facts, ...basis });
        break;
      case 'put-package':
        this.#movePackage(change.record, change.leaves, basis);
        break;
      case 'count-usage':
        this.tallies.use(change.resource, change.period, change.used);
        break;
      case 'put-organization':
        this.organization = change.organization;
        break;
      case 'put-tombstone':
        this.deletedBy = ticket;
        this.nextDeadlineAt = null;
        break;
      case 'scan-timers':
        this.nextDeadlineAt = change.nextDeadlineAt;
        this.deadlineSinceScan = null;
        break;
      case 'put-location':
        // Kept by what it was made for; as a place of its own it is fetched once somebody names it.
        break;
    }
  }

  /** Adds records read from Postgres, unless memory has them: memory is newer or the same. */
  absorb(fetched: FetchedRecords): void {
    for (const bundle of fetched.tasks) this.absorbTask(bundle);
    for (const customer of fetched.customers) this.#customers.absorb(customer);
    if (fetched.contacts !== 'not-wanted') this.contacts.absorb(fetched.contacts);
    if (fetched.keys !== 'not-wanted') this.keys.absorb(fetched.keys, this.lastAtMs);
    if (fetched.codes !== 'not-wanted') this.codes.absorb(fetched.codes, this.lastAtMs);
    for (const location of fetched.locations) this.#locations.set(location.id, location);
    for (const record of fetched.warehouses)
      if (!this.#warehouses.has(record.warehouse.id)) this.#warehouses.set(record.warehouse.id, { record, ...READ });
    this.absorbAgents(fetched);
    this.#requests.absorb(fetched.requests, fetched.askedAgentIds);
    this.money.absorb(fetched);
    for (const id of fetched.channelIds) this.#channels.add(id);
    for (const record of fetched.loosePackages)
      if (this.findPackage(record.id) === undefined) this.#loosePackages.set(record.id, { record, ...READ });
    this.#keptAnswers.absorb(fetched.idempotency);
  }

  absorbAgents({ agents, takenEmails, loadedAgentIds, heldTasks }: FetchedAgents): void {
    this.#agents.absorb(agents, takenEmails);
    this.#loads.learn(loadedAgentIds, heldTasks, this.#tasks);
  }

  /** A task that is no part of a job, or a job with its parts. */
  absorbTask(bundle: TaskBundle): void {
    if (this.#tasks.has(bundle.task.id)) return;
    for (const child of bundle.children) this.absorbTask(child);
    if (bundle.customer) this.#customers.absorb(bundle.customer);
    this.#agents.absorbShown(bundle.agent);
    const { task, location, pickupLocation, packages } = bundle;
    // A package that has moved in memory belongs to the other task, regardless of the row.
    const own = packages.filter(({ id }) => !this.#loosePackages.has(id) && !this.#taskIdByPackage.has(id));
    this.#putTask({ task, location, pickupLocation, packages: own }, READ);
  }

  /** Notes that a task was read, so that others leave memory before it. */
  noteRead(live: LiveTask): void {
    this.#tasks.noteRead(live);
  }

  /**
   * Lets records go when there are more than the bounds allow, the longest unused first, never one that is not durable.
   */
  evict(durableTicket: number, bounds: StateBounds): void {
    this.#tasks.evict(bounds, durableTicket, ({ task, packages }) => {
      this.codes.note(task.code, this.lastAtMs);
      for (const { id } of packages) this.#taskIdByPackage.delete(id);
    });
    // The customers of the tasks come on top: otherwise all would be looked through in vain while there are as many of those.
    const customers = bounds.customers + this.#tasks.size;
    if (this.#customers.size > customers) {
      const inUse = this.#usedBy((task) => task.customerId);
      this.#customers.evict(customers, durableTicket, inUse, (gone) => this.contacts.note(gone));
    }
    this.#agents.evict(bounds.agents, durableTicket, () => this.#usedBy((task) => task.agentId));
    this.#loads.evict(LIMITS.agentLoads);
    this.#requests.evict(durableTicket);
    this.money.evict(durableTicket);
    this.#keptAnswers.evict(bounds.keptAnswers, durableTicket, (key) => this.keys.note(key, this.lastAtMs));
    evictOldest(this.#loosePackages, bounds.others, durableTicket);
    evictOldest(this.#warehouses, bounds.others, durableTicket);
    if (this.#locations.size > bounds.others) this.#locations.clear();
  }

  /** The records that tasks in memory name. */
  #usedBy(named: (task: TaskRecord) => number | null): ReadonlySet<number | null> {
    return new Set(Array.from(this.#tasks.values(), ({ task }) => named(task)));
  }

  #factsAfter({ task, location, pickupLocation, packages }: PutTask): TaskFacts {
    const before = this.#tasks.find(task.id);
    return {
      task,
      location: location === undefined ? (before?.location ?? null) : location,
      pickupLocation: pickupLocation === undefined ? (before?.pickupLocation ?? null) : pickupLocation,
      packages: packages ?? before?.packages ?? NONE,
    };
  }

  #putTask({ task, location, pickupLocation, packages }: TaskFacts, { ticket, sequence }: Basis): void {
    const live = { task, location, pickupLocation, packages, ticket, sequence };
    this.#loads.move(this.#tasks.put(live), live);
    for (const { id } of packages) {
      this.#taskIdByPackage.set(id, task.id);
      this.#loosePackages.delete(id);
    }
    this.#noteDeadline(task.deadlineAt);
  }

  /** A package that leaves a task is gone from it at once; the task it joins names it in its own change. */
  #movePackage(record: PackageRecord, leaves: number | null, { ticket, sequence }: Basis): void {
    this.#loosePackages.delete(record.id);
    const owner = leaves === null ? undefined : this.#tasks.find(leaves);
    if (owner) {
      const packages = owner.packages.filter(({ id }) => id !== record.id);
      this.#taskIdByPackage.delete(record.id);
      this.#tasks.put({ ...owner, packages, ticket, sequence });
    }
    if (record.taskId === null) this.#loosePackages.set(record.id, { record, ticket, sequence });
  }

  #noteDeadline(deadlineAt: string | null): void {
    if (deadlineAt === null) return;
    if (this.nextDeadlineAt === null || deadlineAt < this.nextDeadlineAt) this.nextDeadlineAt = deadlineAt;
    if (this.deadlineSinceScan === null || deadlineAt < this.deadlineSinceScan) this.deadlineSinceScan = deadlineAt;
  }
}

const NONE: readonly never[] = [];
