import { TASK_STATUSES, type TaskStatus } from '../../../../schema/tasks/task.ts';
import { type Cell, HIDDEN, JOB, NOT_SERVED, OWN_OF_AGENT, SERVED, UNKNOWN } from '../../../support/status-table.ts';
import { isOver, type ModelCustomer, type ModelState, type ModelTask, packagesOf } from './model-state.ts';
import type { TaskBody } from './request.ts';

/** The rules of docs/contract.md §3, written down a second time, as plainly as they stand there. */

const LIFECYCLE = ['new', 'awaiting_assignment', 'assigned', 'accepted', 'in_transit'];
const HANDED_OVER = ['delivered', 'dropping_payment', 'payment_dropped'];
const IN_CUSTODY = ['picked_up', 'delivering', 'collecting_payment', 'payment_collected', 'damaged'];
const NOT_TAKEN = ['pending', 'picking_up'];
const JOB_CHILDREN = 100;

const STEPS: readonly (readonly [from: string, to: readonly string[]])[] = [
  ['pending', ['picking_up', 'cancelled']],
  ['picking_up', ['picked_up', 'cancelled']],
  ['picked_up', ['delivering', 'returned', 'lost', 'damaged']],
  ['delivering', ['delivered', 'returned', 'lost', 'damaged']],
  ['damaged', ['returned']],
];
const PAYING_STEPS: readonly (readonly [from: string, to: readonly string[]])[] = [
  ['delivering', ['collecting_payment']],
  ['collecting_payment', ['payment_collected', 'lost', 'damaged']],
  ['payment_collected', ['delivered', 'lost', 'damaged']],
  ['delivered', ['dropping_payment']],
  ['dropping_payment', ['payment_dropped', 'lost', 'damaged']],
];

export function mayPackageBecome(from: string, to: string, hasAmount: boolean): boolean {
  const rules = hasAmount ? [...STEPS, ...PAYING_STEPS] : STEPS;
  return rules.some(([start, ends]) => start === from && ends.includes(to));
}

/** The possible refusals of a request, one of which it must get; undefined when it is carried out. */
export type Verdict = ReadonlySet<string> | undefined;

const oneOf = (...codes: readonly string[]): Verdict => (codes.length === 0 ? undefined : new Set(codes));

/** Whether a time that a request gives is none to be served at any more. */
export function isPast({ scheduledAt }: { readonly scheduledAt?: string }, nowMs: number): boolean {
  return scheduledAt !== undefined && Date.parse(scheduledAt) <= nowMs;
}

export function judgeCreate(state: ModelState, body: TaskBody, nowMs: number): Verdict {
  const wanted = [body, ...(body.children ?? [])];
  if (wanted.some((one) => isPast(one, nowMs))) return oneOf('VALIDATION_FAILED');
  const isMissing = (one: TaskBody) =>
    (one.customerId !== undefined && !state.customers.has(one.customerId)) ||
    (one.pickupWarehouseId !== undefined && !state.warehouses.has(one.pickupWarehouseId)) ||
    one.packageIds?.some((id) => !state.packages.has(id)) === true ||
    (one.parentId !== undefined && !state.tasks.has(one.parentId));
  if (wanted.some(isMissing)) return oneOf('NOT_FOUND');

  const conflicts: string[] = [];
  const codes = wanted.flatMap(({ code }) => code ?? []);
  const taken = new Set([...state.tasks.values()].map(({ code }) => code));
  if (codes.some((code) => taken.has(code)) || new Set(codes).size < codes.length) conflicts.push('TASK_CODE_TAKEN');
  const claimed = wanted.flatMap(({ packageIds }) => [...new Set(packageIds)]);
  if (claimed.some((id) => !isFree(state, id)) || new Set(claimed).size < claimed.length)
    conflicts.push('PACKAGE_ATTACHED');
  if (wanted.some(({ pickupWarehouseId: id }) => id !== undefined && !state.warehouses.get(id)!.isActive))
    conflicts.push('WAREHOUSE_INACTIVE');
  if (body.parentId !== undefined && !takesChild(state.tasks.get(body.parentId)!)) conflicts.push('INVALID_PARENT');
  if (conflicts.length > 0) return oneOf(...conflicts);

  const customers = new Map(state.customers);
  for (const one of wanted) if (one.customer) matchCustomer(customers, one.customer, -1 - customers.size);
  const isOverLimit =
    isOverQuota(state, 'tasks', wanted.length) ||
    isOverQuota(state, 'customers', customers.size - state.customers.size);
  return isOverLimit ? oneOf('PACKAGE_LIMIT_EXCEEDED') : undefined;
}

export function isOverQuota({ limits, used }: ModelState, resource: keyof ModelState['used'], wanted: number): boolean {
  const limit = limits[resource];
  return wanted > 0 && limit !== undefined && limit !== null && used[resource] + wanted > limit;
}

function isFree(state: ModelState, packageId: number): boolean {
  const { taskId, status } = state.packages.get(packageId)!;
  return taskId === null || (isOver(state.tasks.get(taskId)!.status) && !HANDED_OVER.includes(status));
}

function takesChild({ taskType, parentId, childIds, status }: ModelTask): boolean {
  if (taskType.startsWith('cash_') || parentId !== null || isOver(status)) return false;
  if (childIds === null) return isEditable(status);
  return childIds.length < JOB_CHILDREN;
}

export function isEditable(status: string): boolean {
  return status === 'new' || status === 'awaiting_assignment';
}

/** By phone; by e-mail where that customer has no phone; else a new one. A match fills what is empty. */
export function matchCustomer(
  customers: Map<number, ModelCustomer>,
  inline: NonNullable<TaskBody['customer']>,
  newId: number,
): number {
  const { name, phone } = inline;
  const email = inline.email ?? null;
  const byPhone = [...customers].find(([, one]) => one.phone === phone);
  const byEmail = [...customers].find(([, one]) => email !== null && one.phone === null && one.email === email);
  const fresh: [number, ModelCustomer] = [newId, { name, phone, email, address: null }];
  const [id, found] = byPhone ?? byEmail ?? fresh;
  customers.set(id, { ...found, phone: found.phone ?? phone, email: found.email ?? email });
  return id;
}

const CODE_BY_CELL: Partial<Record<Cell, string>> = {
  no: 'INVALID_STATUS_TRANSITION',
  crew: 'AGENT_REQUIRED',
  job: 'STATUS_DERIVED',
  '403': 'FORBIDDEN',
  '404': 'NOT_FOUND',
};

export function judgeStatus(task: ModelTask | undefined, to: string, asAgent: number | undefined): Verdict | 'same' {
  const cell = statusRow(task, asAgent)[TASK_STATUSES.indexOf(to as TaskStatus)]!;
  if (cell === 'same') return cell;
  return cell === 'yes' ? undefined : oneOf(CODE_BY_CELL[cell]!);
}

function statusRow(task: ModelTask | undefined, asAgent: number | undefined): readonly Cell[] {
  if (asAgent !== undefined) return task?.agentId === asAgent ? OWN_OF_AGENT[task.status as TaskStatus] : HIDDEN;
  if (!task) return UNKNOWN;
  const table = task.childIds !== null ? JOB : task.agentId === null ? NOT_SERVED : SERVED;
  return table[task.status as TaskStatus];
}

/** Ends a task or moves it on, with what that does to its packages. */
export function makeStep(
  state: ModelState,
  id: number,
  to: string,
  end: { outcome?: string; why?: string } = {},
): void {
  const task = state.tasks.get(id)!;
  task.status = to;
  if (to !== 'cancelled') task.steps.push(to);
  if (to === 'completed') Object.assign(task, { outcome: end.outcome ?? 'succeeded', failureReason: end.why ?? null });
  if (to === 'cancelled' && task.search === 'pending') task.search = 'cancelled';
  if (!isOver(to)) return;
  task.dueAtMs = null;
  const isHandedOver = to === 'completed' && task.outcome === 'succeeded';
  for (const [, one] of packagesOf(state, id)) {
    if (isHandedOver) one.status = isOpen(one.status) ? 'delivered' : one.status;
    else if (NOT_TAKEN.includes(one.status)) one.status = 'cancelled';
    else if (IN_CUSTODY.includes(one.status)) one.status = 'returned';
  }
}

function isOpen(status: string): boolean {
  return NOT_TAKEN.includes(status) || (IN_CUSTODY.includes(status) && status !== 'damaged');
}

/** Brings a job in line with its children. */
export function followChildren(state: ModelState, jobId: number): void {
  const job = state.tasks.get(jobId)!;
  const children = job.childIds!.map((id) => state.tasks.get(id)!);
  const completed = children.filter(({ status }) => status === 'completed');
  const open = children.filter(({ status }) => !isOver(status));
  const furthest = Math.max(...open.map(({ status }) => LIFECYCLE.indexOf(status)));
  const ending = completed.length > 0 ? 'completed' : 'cancelled';
  const to = open.length === 0 ? ending : completed.length > 0 ? 'in_transit' : LIFECYCLE[furthest]!;
  if (to === job.status) return;
  const hasFailed = completed.some(({ outcome }) => outcome === 'failed');
  makeStep(state, jobId, to, hasFailed ? { outcome: 'failed', why: 'a child failed' } : {});
}
