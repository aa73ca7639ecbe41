import {
  followChildren,
  isEditable,
  isOverQuota,
  isPast,
  judgeCreate,
  judgeStatus,
  makeStep,
  matchCustomer,
  mayPackageBecome,
  type Verdict,
} from './model-rules.ts';
import { emptyState, isOver, type ModelState, packagesOf } from './model-state.ts';
import type { PatchBody, Request, TaskBody } from './request.ts';

/** The ids that the engine gave: of a task, its customer, its own new packages, its children. */
export interface MadeTask {
  readonly id: number;
  readonly customerId: number | null;
  readonly packageIds: readonly number[];
  readonly createdAtMs: number;
  readonly children: readonly MadeTask[];
}

export type Single = Exclude<Request, { kind: 'batch' }>;

const ASAP_MINUTES = 24 * 60;
const SCHEDULED_MINUTES = 60;
const MINUTE = 60_000;

/**
 * An organization as docs/contract.md §3 describes it, in simple maps, written without a look at the engine. It judges
 * a request first; then it gets the ids of the engine and does the same.
 */
export class Model {
  state: ModelState;
  readonly agentId: number;

  constructor(limits: ModelState['limits'], agentId: number) {
    this.state = emptyState(limits);
    this.agentId = agentId;
  }

  /** The codes of which a refusal must bear one; undefined when the request is to be carried out at that moment. */
  judge(request: Single, nowMs: number): Verdict | 'same' {
    const { tasks, packages, customers, warehouses } = this.state;
    const refuse = (code: string): Verdict => new Set([code]);
    switch (request.kind) {
      case 'create':
        return judgeCreate(this.state, request.body, nowMs);
      case 'update': {
        if (isPast(request.body, nowMs)) return refuse('VALIDATION_FAILED');
        const task = tasks.get(request.id);
        const entries = request.body.packages ?? [];
        if (!task || entries.some(({ id }) => id !== undefined && packages.get(id)?.taskId !== request.id))
          return refuse('NOT_FOUND');
        return isEditable(task.status) ? undefined : refuse('TASK_NOT_EDITABLE');
      }
      case 'add-package': {
        const task = tasks.get(request.id);
        if (!task) return refuse('NOT_FOUND');
        return isEditable(task.status) ? undefined : refuse('TASK_NOT_EDITABLE');
      }
      case 'status': {
        const { id, body, moment, asAgent } = request;
        const verdict = judgeStatus(tasks.get(id), body.status, asAgent ? this.agentId : undefined);
        const isForbidden = verdict instanceof Set && verdict.has('FORBIDDEN');
        if (moment === 'future' && !isForbidden) return refuse('VALIDATION_FAILED');
        return moment === 'past' && verdict === undefined ? refuse('VALIDATION_FAILED') : verdict;
      }
      case 'package-status': {
        const found = packages.get(request.id);
        if (!found) return refuse('NOT_FOUND');
        if (found.taskId === null) return refuse('PACKAGE_DETACHED');
        const hasAmount = tasks.get(found.taskId)!.amount !== null;
        const { status } = request.body;
        if (status === found.status) return 'same';
        return mayPackageBecome(found.status, status, hasAmount) ? undefined : refuse('INVALID_PACKAGE_TRANSITION');
      }
      case 'create-customer':
        if (this.#holderOf(request.body.phone) !== undefined) return refuse('CUSTOMER_PHONE_TAKEN');
        return isOverQuota(this.state, 'customers', 1) ? refuse('PACKAGE_LIMIT_EXCEEDED') : undefined;
      case 'update-customer': {
        if (!customers.has(request.id)) return refuse('NOT_FOUND');
        const holder = request.body.phone === undefined ? undefined : this.#holderOf(request.body.phone);
        return holder !== undefined && holder !== request.id ? refuse('CUSTOMER_PHONE_TAKEN') : undefined;
      }
      case 'create-warehouse':
        return isOverQuota(this.state, 'warehouses', 1) ? refuse('PACKAGE_LIMIT_EXCEEDED') : undefined;
      case 'update-warehouse':
        return warehouses.has(request.id) ? undefined : refuse('NOT_FOUND');
    }
  }

  /** Carries out a request that was judged so; `id` is the engine's, of what was made. */
  apply(request: Exclude<Single, { kind: 'create' | 'update' }>, id: number): void {
    const { packages, customers, warehouses, used } = this.state;
    switch (request.kind) {
      case 'add-package':
        packages.set(id, { taskId: request.id, name: request.body.name, quantity: 1, status: 'pending' });
        break;
      case 'status':
        this.#changeStatus(request);
        break;
      case 'package-status':
        packages.get(request.id)!.status = request.body.status;
        break;
      case 'create-customer':
        used.customers += 1;
        customers.set(id, { email: null, address: null, ...request.body });
        break;
      case 'update-customer':
        Object.assign(customers.get(request.id)!, request.body);
        break;
      case 'create-warehouse': {
        const { name, location, isActive } = request.body;
        used.warehouses += 1;
        warehouses.set(id, { name, address: location.address, isActive });
        break;
      }
      case 'update-warehouse': {
        const { location, ...fields } = request.body;
        Object.assign(warehouses.get(request.id)!, fields, location && { address: location.address });
      }
    }
  }

  create(body: TaskBody, made: MadeTask): void {
    this.state.used.tasks += 1 + made.children.length;
    this.#putTask(body, made, body.parentId ?? null);
    const { autoAssign } = body;
    for (const [number, child] of made.children.entries())
      this.#putTask({ ...(autoAssign ? { autoAssign } : {}), ...body.children![number]! }, child, made.id);
    if (body.parentId === undefined) return;
    const parent = this.state.tasks.get(body.parentId)!;
    parent.childIds = [...(parent.childIds ?? []), made.id];
    if (parent.search === 'pending') parent.search = 'cancelled';
    followChildren(this.state, body.parentId);
  }

  update(id: number, body: PatchBody, newPackageIds: readonly number[]): void {
    const { packages, tasks } = this.state;
    const task = tasks.get(id)!;
    if (body.notes !== undefined) task.notes = body.notes;
    if (body.integrationData !== undefined) task.integrationData = body.integrationData;
    if (body.location) task.address = body.location.address;
    if (body.scheduledAt !== undefined && body.scheduledAt !== task.scheduledAt) {
      task.scheduledAt = body.scheduledAt;
      task.dueAtMs = Date.parse(body.scheduledAt) + (task.minutes ?? SCHEDULED_MINUTES) * MINUTE;
      task.delayed = false;
    }
    if (!body.packages) return;
    const named = new Map(body.packages.map((entry) => [entry.id, entry]));
    for (const [packageId, one] of packagesOf(this.state, id)) {
      const entry = named.get(packageId);
      if (!entry) one.taskId = null;
      if (entry?.quantity !== undefined) one.quantity = entry.quantity;
    }
    for (const newId of newPackageIds)
      packages.set(newId, { taskId: id, name: 'Added', quantity: 1, status: 'pending' });
  }

  /** The agent has another task at the time that this one would hold. */
  isBusyAt(id: number): boolean {
    const slotOf = ({ scheduledAt, minutes }: ModelState['tasks'] extends Map<number, infer T> ? T : never) => {
      const from = Date.parse(scheduledAt!);
      return { from, until: from + (minutes ?? SCHEDULED_MINUTES) * MINUTE };
    };
    const wanted = this.state.tasks.get(id)!;
    if (wanted.scheduledAt === null) return false;
    const { from, until } = slotOf(wanted);
    return [...this.state.tasks.values()].some((task) => {
      if (task.agentId !== this.agentId || isOver(task.status) || task.scheduledAt === null) return false;
      const held = slotOf(task);
      return held.from < until && from < held.until;
    });
  }

  /** An agent is put on the task. */
  assign(id: number): void {
    const task = this.state.tasks.get(id)!;
    const search = task.search === 'pending' ? 'cancelled' : task.search;
    Object.assign(task, { agentId: this.agentId, status: 'assigned', steps: ['assigned'], search });
    if (task.parentId !== null) followChildren(this.state, task.parentId);
  }

  unassign(id: number): void {
    const task = this.state.tasks.get(id)!;
    Object.assign(task, { agentId: null, status: 'awaiting_assignment', steps: [] });
    if (task.parentId !== null) followChildren(this.state, task.parentId);
  }

  /** The timers are looked at. */
  wake(nowMs: number): void {
    for (const task of this.state.tasks.values()) {
      if (task.dueAtMs === null || task.dueAtMs > nowMs) continue;
      Object.assign(task, { delayed: true, dueAtMs: null });
    }
  }

  #changeStatus({ id, body }: Extract<Request, { kind: 'status' }>): void {
    const { tasks } = this.state;
    const { childIds, parentId } = tasks.get(id)!;
    const end = body.outcome ? { outcome: body.outcome, why: body.failureReason! } : {};
    for (const child of childIds ?? []) if (!isOver(tasks.get(child)!.status)) makeStep(this.state, child, 'cancelled');
    makeStep(this.state, id, body.status, end);
    if (parentId !== null) followChildren(this.state, parentId);
  }

  #putTask(body: TaskBody, made: MadeTask, parentId: number | null): void {
    const { tasks, packages, customers, warehouses, used } = this.state;
    const known = customers.size;
    const customerId = body.customer ? matchCustomer(customers, body.customer, made.customerId!) : body.customerId!;
    used.customers += customers.size - known;
    for (const [number, packageId] of made.packageIds.entries()) {
      const { name, quantity = 1 } = body.packages![number]!;
      packages.set(packageId, { taskId: made.id, name, quantity, status: 'pending' });
    }
    for (const packageId of body.packageIds ?? [])
      Object.assign(packages.get(packageId)!, { taskId: made.id, status: 'pending' });
    const { pickupWarehouseId, pickupLocation, estimatedDuration } = body;
    const scheduledAt = body.scheduledAt ?? null;
    const minutes = estimatedDuration ?? (scheduledAt === null ? ASAP_MINUTES : SCHEDULED_MINUTES);
    tasks.set(made.id, {
      code: body.code ?? null,
      name: body.name ?? body.code ?? null,
      taskType: body.taskType ?? body.type!.toLowerCase(),
      status: 'new',
      scheduledAt,
      notes: body.notes ?? null,
      integrationData: body.integrationData ?? null,
      customerId,
      agentId: null,
      parentId,
      childIds: made.children.length > 0 ? made.children.map(({ id }) => id) : null,
      amount: body.amount ?? null,
      address: (body.location ?? body.dropoffLocation)!.address,
      pickup: pickupWarehouseId ? warehouses.get(pickupWarehouseId)!.address : (pickupLocation?.address ?? null),
      outcome: null,
      failureReason: null,
      minutes: estimatedDuration ?? null,
      createdAtMs: made.createdAtMs,
      dueAtMs: (scheduledAt === null ? made.createdAtMs : Date.parse(scheduledAt)) + minutes * MINUTE,
      delayed: false,
      search: body.autoAssign && made.children.length === 0 ? 'pending' : 'not_requested',
      steps: [],
    });
  }

  #holderOf(phone: string): number | undefined {
    return [...this.state.customers].find(([, one]) => one.phone === phone)?.[0];
  }
}
