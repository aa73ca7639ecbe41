import type { OrganizationRecord } from '../../../schema/accounts/organization.ts';
import type { AssignmentRequestRecord } from '../../../schema/assignment/assignment.ts';
import type { CustomerRecord } from '../../../schema/customers/customer.ts';
import type { LocationRecord } from '../../../schema/customers/location.ts';
import type { AgentRecord } from '../../../schema/fleet/agent.ts';
import type { AccountBalance, AccountOwner, EntryRecord } from '../../../schema/money/ledger.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import type { PackageRecord } from '../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import type { WarehouseWithLocation } from '../../store/records/warehouse-store.ts';
import { type HeldTask, heldTask } from './agent-loads.ts';
import { balanceAfter } from './books/money-book.ts';
import type { Change, PutTask } from './changes.ts';
import { takesPlace } from './moving-places.ts';
import type { StateView, TaskFacts } from './state-view.ts';

/**
 * The changes of a decision on top of the state. Later parts of the same decision see the earlier ones: the tasks of a
 * job, the items of a batch. A refused draft is thrown away; an accepted one is applied, change by change.
 */
export class Draft implements StateView {
  readonly changes: Change[] = [];
  readonly #base: StateView;
  #tasks: Map<number, TaskFacts> | undefined;
  #codes: Set<string> | undefined;
  #customers: Map<number, CustomerRecord> | undefined;
  #warehouses: Map<number, WarehouseWithLocation> | undefined;
  #agents: Map<number, AgentRecord> | undefined;
  #packages: Map<number, PackageRecord> | undefined;
  #requests: Map<number, AssignmentRequestRecord> | undefined;
  #payments: Map<number, PaymentRecord> | undefined;
  /** The last entry of each account that money moved on. */
  #entries: Map<string, EntryRecord> | undefined;
  #usage: Map<string, number> | undefined;
  #organization: OrganizationRecord | undefined;
  #madeTasks = 0;
  #placesTaken = 0;

  constructor(base: StateView) {
    this.#base = base;
  }

  get organizationId(): number {
    return this.#base.organizationId;
  }

  get organization(): OrganizationRecord {
    return this.#organization ?? this.#base.organization;
  }

  /** At least as many: tasks that end in this decision still count. */
  get openTasks(): number {
    return this.#base.openTasks + this.#madeTasks;
  }

  get movingTasks(): number {
    return this.#base.movingTasks + this.#placesTaken;
  }

  put(change: Change): void {
    this.changes.push(change.kind === 'put-task' ? this.#putTask(change) : change);
    switch (change.kind) {
      case 'put-customer':
        this.#customers ??= new Map();
        this.#customers.set(change.customer.id, change.customer);
        break;
      case 'put-warehouse':
        this.#warehouses ??= new Map();
        this.#warehouses.set(change.facts.warehouse.id, change.facts);
        break;
      case 'put-agent':
        this.#agents ??= new Map();
        this.#agents.set(change.agent.id, change.agent);
        break;
      case 'put-package':
        this.#packages ??= new Map();
        this.#packages.set(change.record.id, change.record);
        break;
      case 'put-request':
        this.#requests ??= new Map();
        this.#requests.set(change.request.id, change.request);
        break;
      case 'put-payment':
        this.#payments ??= new Map();
        this.#payments.set(change.payment.id, change.payment);
        break;
      case 'move-money':
        this.#entries ??= new Map();
        for (const entry of change.entries) this.#entries.set(accountKeyOf(entry, entry.currency), entry);
        break;
      case 'count-usage':
        this.#usage ??= new Map();
        this.#usage.set(`${change.resource} ${change.period}`, change.used);
        break;
      case 'put-organization':
        this.#organization = change.organization;
        break;
      case 'put-task':
      case 'put-location':
      case 'put-tombstone':
      case 'tell':
      case 'tell-agent':
      case 'tell-request':
      case 'tell-payment':
      case 'scan-timers':
        break;
    }
  }

  /** Takes over what another draft, made on top of this one, would change. */
  absorb(other: Draft): void {
    for (const change of other.changes) this.put(change);
  }

  findTask(id: number): TaskFacts | undefined {
    return this.#tasks?.get(id) ?? this.#base.findTask(id);
  }

  hasTaskCode(code: string): boolean {
    return this.#codes?.has(code) === true || this.#base.hasTaskCode(code);
  }

  findCustomer(id: number): CustomerRecord | undefined {
    return this.#customers?.get(id) ?? this.#base.findCustomer(id);
  }

  findCustomerByPhone(phoneE164: string): CustomerRecord | undefined {
    const drafted = this.#findDrafted(({ phoneE164: own }) => own === phoneE164);
    return drafted ?? this.#unlessDrafted(this.#base.findCustomerByPhone(phoneE164));
  }

  findPhonelessCustomer(email: string): CustomerRecord | undefined {
    const wanted = email.toLowerCase();
    const drafted = this.#findDrafted((own) => own.phoneE164 === null && own.email?.toLowerCase() === wanted);
    return drafted ?? this.#unlessDrafted(this.#base.findPhonelessCustomer(email));
  }

  findLocation(id: number): LocationRecord | undefined {
    return this.#base.findLocation(id);
  }

  findWarehouse(id: number): WarehouseWithLocation | undefined {
    return this.#warehouses?.get(id) ?? this.#base.findWarehouse(id);
  }

  findAgent(id: number): AgentRecord | undefined {
    return this.#agents?.get(id) ?? this.#base.findAgent(id);
  }

  isEmailTaken(email: string): boolean {
    return this.#base.isEmailTaken(email);
  }

  heldBy(agentId: number): readonly HeldTask[] {
    const held = this.#base.heldBy(agentId);
    const drafted = this.#tasks;
    if (!drafted) return held;
    const added = [...drafted.values()].flatMap((facts) =>
      facts.task.agentId === agentId ? (heldTask(facts) ?? []) : [],
    );
    return [...held.filter(({ taskId }) => !drafted.has(taskId)), ...added];
  }

  findRequest(id: number): AssignmentRequestRecord | undefined {
    return this.#requests?.get(id) ?? this.#base.findRequest(id);
  }

  openRequestsOf(agentId: number): AssignmentRequestRecord[] {
    const open = this.#base.openRequestsOf(agentId).filter(({ id }) => !this.#requests?.has(id));
    const drafted = [...(this.#requests?.values() ?? [])];
    return [...open, ...drafted.filter((request) => request.agentId === agentId && request.status === 'pending')];
  }

  findPayment(id: number): PaymentRecord | undefined {
    return this.#payments?.get(id) ?? this.#base.findPayment(id);
  }

  findBalance(owner: AccountOwner, currency: string): AccountBalance | undefined {
    const drafted = this.#entries?.get(accountKeyOf(owner, currency));
    return drafted ? balanceAfter(drafted) : this.#base.findBalance(owner, currency);
  }

  hasChannel(id: number): boolean {
    return this.#base.hasChannel(id);
  }

  findPackage(id: number): ReturnType<StateView['findPackage']> {
    const record = this.#packages?.get(id);
    if (!record) return this.#base.findPackage(id);
    return { record, owner: record.taskId === null ? null : (this.findTask(record.taskId)?.task ?? null) };
  }

  usedOf(resource: string, period: string): number {
    return this.#usage?.get(`${resource} ${period}`) ?? this.#base.usedOf(resource, period);
  }

  /** Takes a task in; returns the change as it is to be applied. */
  #putTask(change: PutTask): PutTask {
    const before = this.findTask(change.task.id);
    const task = this.#placed(change.task, before?.task);
    const { location, pickupLocation, packages } = change;
    this.#tasks ??= new Map();
    this.#tasks.set(task.id, {
      task,
      location: location === undefined ? (before?.location ?? null) : location,
      pickupLocation: pickupLocation === undefined ? (before?.pickupLocation ?? null) : pickupLocation,
      packages: packages ?? before?.packages ?? [],
    });
    this.#codes ??= new Set();
    this.#codes.add(task.code);
    return task === change.task ? change : { ...change, task };
  }

  /** The task, with a place among the moving ones if it gets one. */
  #placed(task: TaskRecord, before: TaskRecord | undefined): TaskRecord {
    const isNew = before === undefined;
    const had = before?.movingWhileOpen === true;
    const has = had || task.movingWhileOpen || takesPlace(task, before, this);
    if (isNew) this.#madeTasks += 1;
    if (has && !had) this.#placesTaken += 1;
    return has === task.movingWhileOpen ? task : { ...task, movingWhileOpen: has };
  }

  #findDrafted(matches: (customer: CustomerRecord) => boolean): CustomerRecord | undefined {
    for (const customer of this.#customers?.values() ?? []) if (matches(customer)) return customer;
    return undefined;
  }

  /** The record of the base, unless the draft has a newer one. */
  #unlessDrafted(customer: CustomerRecord | undefined): CustomerRecord | undefined {
    return customer && this.#customers?.has(customer.id) ? undefined : customer;
  }
}

function accountKeyOf({ account, ownerId }: AccountOwner, currency: string): string {
  return `${account} ${ownerId} ${currency}`;
}
