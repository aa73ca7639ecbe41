import type { ChangeTaskStatus, Command, CreateTasks, ProposeOffers } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { AccountOwner } from '../../../schema/money/ledger.ts';
import type { CreateTaskInput, TaskInput } from '../../../schema/tasks/create-task.ts';
import { isCashType, type TaskRecord } from '../../../schema/tasks/task.ts';
import { cashOf, OWN_ACCOUNTS, walletOf } from '../../domain/money/ledger.ts';
import { lastAttempt } from '../../domain/tasks/exceptions.ts';
import type { RecordNeeds } from '../../store/actor/actor-store.ts';
import type { OrgState } from '../state/org-state.ts';
import { isLimited } from './steps/agent-fit.ts';

/** A payment, its task, and the payment that the task has now. */
const DEEPEST_CHAIN = 3;

export function noNeeds(): RecordNeeds {
  return {
    taskIds: new Set(),
    codes: new Set(),
    customerIds: new Set(),
    phones: new Set(),
    emails: new Set(),
    contacts: false,
    keysBehind: undefined,
    codesBehind: undefined,
    locationIds: new Set(),
    warehouseIds: new Set(),
    channelIds: new Set(),
    agentIds: new Set(),
    userEmails: new Set(),
    loadedAgentIds: new Set(),
    requestIds: new Set(),
    askedAgentIds: new Set(),
    packageIds: new Set(),
    paymentIds: new Set(),
    accountOwners: new Map(),
    fetches: 1,
    idempotency: new Map(),
  };
}

/** Looks up the records that a command reads, and notes those that memory lacks. A record in memory is never fetched: it is newer than its row. */
export class NeededRecords {
  missing = false;
  readonly #state: OrgState;
  readonly #needs: RecordNeeds | undefined;

  constructor(state: OrgState, needs: RecordNeeds | undefined) {
    this.#state = state;
    this.#needs = needs;
  }

  newTask(input: CreateTaskInput, ownChannelId: number): void {
    this.#oneTask(input, ownChannelId);
    if (input.parentId) this.task(input.parentId);
    for (const child of input.children ?? []) this.#oneTask(child, ownChannelId);
  }

  newTasks({ items, caller }: CreateTasks): void {
    for (const item of items) {
      if ('errorBody' in item) continue;
      this.idempotency(item.idempotency);
      this.newTask(item.input, caller.channelId);
    }
  }

  task(id: number): void {
    if (!this.#state.hasTask(id)) this.#miss()?.taskIds.add(id);
  }

  customer(id: number): void {
    if (!this.#state.findCustomer(id)) this.#miss()?.customerIds.add(id);
  }

  phone(e164: string | undefined, email?: string | null | undefined): void {
    if (e164 === undefined || this.#state.findCustomerByPhone(e164)) return;
    if (!this.#state.contacts.mayKnow(e164, email)) return;
    const needs = this.#miss();
    needs?.phones.add(e164);
    if (email) needs?.emails.add(email.toLowerCase());
  }

  warehouse(id: number): void {
    if (!this.#state.findWarehouse(id)) this.#miss()?.warehouseIds.add(id);
  }

  agent(id: number): void {
    if (!this.#state.findAgent(id)) this.#miss()?.agentIds.add(id);
  }

  /** Fetched each time: other organizations, and other writers of this one, create users too. */
  freeEmail(email: string): void {
    this.#miss()?.userEmails.add(email.toLowerCase());
  }

  loadOf(agentId: number): void {
    if (!this.#state.knowsLoadOf(agentId)) this.#miss()?.loadedAgentIds.add(agentId);
  }

  /** The open requests of an agent, with their tasks. */
  openRequestsOf(agentId: number): void {
    if (!this.#state.knowsOpenRequestsOf(agentId)) {
      this.#miss()?.askedAgentIds.add(agentId);
      this.#chain();
    }
    for (const { taskId } of this.#state.openRequestsOf(agentId)) this.task(taskId);
  }

  /** An agent that is given a task, with the open requests that it may have no room for then: none without limits. */
  takerWithOffers(agentId: number): void {
    this.agentWithLoad(agentId);
    const agent = this.#state.findAgent(agentId);
    if (!agent || isLimited(agent)) this.openRequestsOf(agentId);
  }

  /** A request with its task and its agent, on which the answer rests. */
  request(id: number, isTaken: boolean): void {
    const request = this.#state.findRequest(id);
    if (!request) {
      this.#miss()?.requestIds.add(id);
      // It must be here to say whether the other offers of its agent count.
      if (isTaken) this.#chain();
      return;
    }
    this.task(request.taskId);
    // One that is asked alone holds the task already.
    if (isTaken && request.mode === 'broadcast') this.takerWithOffers(request.agentId);
    else this.agentWithLoad(request.agentId);
  }

  proposal({ offers, lacking }: ProposeOffers): void {
    for (const { taskId, agentId } of offers) {
      this.task(taskId);
      this.agentWithLoad(agentId);
    }
    for (const { taskId } of lacking) this.task(taskId);
  }

  agentWithLoad(id: number): void {
    this.agent(id);
    this.loadOf(id);
  }

  /** The records that a payment for a task rests on, for every method. */
  moneyOf(taskId: number): void {
    const facts = this.#state.findTask(taskId);
    // The task names the others; it must be here first.
    if (!facts) this.#chain();
    else this.#moneyOf(facts.task);
  }

  /** A task with the load of the agent that has it. */
  taskWithLoad(id: number): void {
    this.task(id);
    const facts = this.#state.findTask(id);
    if (!facts) this.#chain();
    else if (facts.task.agentId !== null) this.loadOf(facts.task.agentId);
  }

  /** A task with the agents that are asked to take it, and their loads. */
  taskWithAsked(id: number): void {
    this.task(id);
    const facts = this.#state.findTask(id);
    if (!facts) this.#chain();
    else for (const { agentId } of facts.task.search?.open ?? []) this.agentWithLoad(agentId);
  }

  /** The payment that counts for a task. */
  paymentOf(taskId: number): void {
    const facts = this.#state.findTask(taskId);
    if (!facts) this.#chain();
    else this.#payment(facts.task.paymentId);
  }

  /** The records that the end of a task and of its parts rests on: open payments, and cash. */
  moneyOfEnd(taskId: number, status: ChangeTaskStatus['input']['status']): void {
    if (status !== 'completed' && status !== 'cancelled') return;
    const facts = this.#state.findTask(taskId);
    if (!facts) return this.#chain();
    if (status === 'completed') {
      if (isCashType(facts.task.taskType)) this.#moneyOf(facts.task);
      return;
    }
    const { childIds, parentId } = facts.task;
    // A job ends with the last of its parts.
    const family = [taskId, ...(childIds ?? []), ...(parentId === null ? [] : [parentId])];
    for (const id of family) this.#payment(this.#state.findTask(id)?.task.paymentId ?? null);
  }

  /** A payment with its task and the accounts of its money. */
  paymentWithMoney(id: number): void {
    const payment = this.#state.findPayment(id);
    this.#payment(id);
    if (!payment) return this.#chain();
    this.task(payment.taskId);
    this.moneyOf(payment.taskId);
    // The agent who took the cash: the task may have another agent by now.
    const wallet = payment.customerId === null ? [] : [walletOf(payment.customerId)];
    this.accounts([...OWN_ACCOUNTS, cashOf(payment), ...wallet]);
  }

  /** The last attempt at the order that was paid, with the payment that counts for it. */
  lastAttemptPaidBy(paymentId: number): void {
    const payment = this.#state.findPayment(paymentId);
    // The payment and its task are fetched with its money.
    if (!payment || !this.#state.hasTask(payment.taskId)) return;
    const last = lastAttempt((id) => this.#state.findTask(id), payment.taskId);
    if (typeof last !== 'number') return this.#payment(last.task.paymentId);
    this.task(last);
    this.#chain(LIMITS.attemptFetches);
  }

  accounts(owners: readonly AccountOwner[]): void {
    for (const owner of owners) {
      if (!this.#state.money.knowsAccountsOf(owner)) {
        this.#miss()?.accountOwners.set(`${owner.account} ${owner.ownerId}`, owner);
      }
    }
  }

  package(id: number): void {
    if (!this.#state.findPackage(id)) this.#miss()?.packageIds.add(id);
  }

  idempotency(key: Command['idempotency']): void {
    if (!key) return;
    const { scopedKey } = key;
    if (this.#state.findIdempotency(scopedKey) || !this.#state.keys.mayKnow(scopedKey)) return;
    this.#miss()?.idempotency.set(scopedKey, key);
  }

  #moneyOf(task: TaskRecord): void {
    this.#payment(task.paymentId);
    const wallet = task.customerId === null ? [] : [walletOf(task.customerId)];
    this.accounts([...OWN_ACCOUNTS, cashOf(task), ...wallet]);
  }

  #payment(id: number | null): void {
    if (id !== null && !this.#state.findPayment(id)) this.#miss()?.paymentIds.add(id);
  }

  /** Notes that a missing record must be fetched before it can name the next one. */
  #chain(fetches = DEEPEST_CHAIN): void {
    const needs = this.#miss();
    if (needs) needs.fetches = Math.max(needs.fetches, fetches);
  }

  #oneTask(input: TaskInput, ownChannelId: number): void {
    const { customer, customerId, locationId, pickupWarehouseId, code, preferredAgentId, channelId } = input;
    if (customer) this.phone(customer.phone.e164, customer.email);
    if (customerId) this.customer(customerId);
    if (locationId && !this.#state.findLocation(locationId)) this.#miss()?.locationIds.add(locationId);
    if (pickupWarehouseId) this.warehouse(pickupWarehouseId);
    if (code) this.#code(code);
    if (preferredAgentId) this.agent(preferredAgentId);
    if (channelId && channelId !== ownChannelId && !this.#state.hasChannel(channelId)) {
      this.#miss()?.channelIds.add(channelId);
    }
    for (const id of input.packageIds ?? []) this.package(id);
  }

  #code(code: string): void {
    if (!this.#state.hasTaskCode(code) && this.#state.codes.mayKnow(code)) this.#miss()?.codes.add(code);
  }

  #miss(): RecordNeeds | undefined {
    this.missing = true;
    return this.#needs;
  }
}
