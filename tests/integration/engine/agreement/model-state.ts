import type { TaskView } from '../../../../schema/tasks/task-view.ts';

/** The model's knowledge of one organization: plain records, copied whole where a step is only tried. */
export interface ModelState {
  readonly limits: Readonly<Record<string, number | null>>;
  readonly used: Record<'tasks' | 'customers' | 'warehouses', number>;
  readonly tasks: Map<number, ModelTask>;
  readonly packages: Map<number, ModelPackage>;
  readonly customers: Map<number, ModelCustomer>;
  readonly warehouses: Map<number, ModelWarehouse>;
}

export interface ModelTask {
  /** Null when it was made up. */
  code: string | null;
  /** Null when it is the code. */
  name: string | null;
  taskType: string;
  status: string;
  scheduledAt: string | null;
  notes: string | null;
  integrationData: Readonly<Record<string, unknown>> | null;
  customerId: number | null;
  agentId: number | null;
  parentId: number | null;
  childIds: number[] | null;
  amount: string | null;
  address: string | null;
  pickup: string | null;
  outcome: string | null;
  failureReason: string | null;
  minutes: number | null;
  createdAtMs: number;
  /** When it is found late; null once it was, or when it has ended. */
  dueAtMs: number | null;
  delayed: boolean;
  search: 'not_requested' | 'pending' | 'cancelled';
  /** Steps that it made since its courier was named. */
  steps: string[];
}

export interface ModelPackage {
  taskId: number | null;
  name: string;
  quantity: number;
  status: string;
}

export interface ModelCustomer {
  name: string;
  phone: string | null;
  email: string | null;
  address: string | null;
}

export interface ModelWarehouse {
  name: string;
  address: string;
  isActive: boolean;
}

export function emptyState(limits: ModelState['limits']): ModelState {
  return {
    limits,
    used: { tasks: 0, customers: 0, warehouses: 0 },
    tasks: new Map(),
    packages: new Map(),
    customers: new Map(),
    warehouses: new Map(),
  };
}

export function isOver(status: string): boolean {
  return status === 'completed' || status === 'cancelled';
}

export function packagesOf(state: ModelState, taskId: number): [number, ModelPackage][] {
  return [...state.packages].filter(([, one]) => one.taskId === taskId).sort(([a], [b]) => a - b);
}

/** The fields that a task's JSON must have, as far as the model knows them. */
export function shownTask(state: ModelState, id: number): Record<string, unknown> {
  const task = state.tasks.get(id)!;
  const customer = task.customerId === null ? null : state.customers.get(task.customerId)!;
  return {
    id,
    taskType: task.taskType,
    status: task.status,
    timeToServe: task.scheduledAt === null ? 'asap' : 'scheduled',
    scheduledAt: task.scheduledAt,
    notes: task.notes,
    integrationData: task.integrationData,
    customer: customer && { id: task.customerId, name: customer.name, email: customer.email },
    agentId: task.agentId,
    parentId: task.parentId,
    children: (task.childIds ?? []).map((child) => shownTask(state, child)),
    amount: task.amount,
    address: task.address,
    pickup: task.pickup,
    outcome: task.outcome,
    failed: task.failureReason !== null,
    packages: packagesOf(state, id).map(([packageId, { name, quantity, status }]) => ({
      id: packageId,
      taskId: id,
      name,
      quantity,
      status,
    })),
    dueAt: dueAtOf(task),
    isDelayed: isOver(task.status) ? 'as it ended' : task.delayed,
    search: task.search,
    ...(task.childIds === null ? { steps: task.steps } : {}),
    ...(task.code === null ? {} : { code: task.code }),
    ...(task.name === null ? {} : { name: task.name }),
  };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function dueAtOf({ scheduledAt, createdAtMs, minutes }: ModelTask): string {
  const own = minutes === null ? undefined : minutes * MINUTE;
  const ms = scheduledAt === null ? createdAtMs + (own ?? 24 * HOUR) : Date.parse(scheduledAt) + (own ?? HOUR);
  return new Date(ms).toISOString();
}

/** The model does not know when a task ended, but what follows from it. */
function delayAtEnd({ status, completedAt, cancelledAt, dueAt, delayedAt, isDelayed }: Omit<TaskView, 'children'>) {
  const isLate = (completedAt ?? cancelledAt ?? '') > dueAt;
  const isRight = delayedAt === (isLate ? dueAt : null) && isDelayed === (isLate && status === 'completed');
  return isRight ? 'as it ended' : { completedAt, cancelledAt, dueAt, delayedAt, isDelayed };
}

/** The part of a task's JSON that the model says, too. */
export function shownOf(
  task: Omit<TaskView, 'children'> & { readonly children?: readonly unknown[] },
  known: Record<string, unknown>,
) {
  const { customer, children } = task;
  const expectedChildren = known['children'] as Record<string, unknown>[];
  const flags = {
    assigned: task.assignedAt,
    accepted: task.acceptedAt,
    in_transit: task.startedAt,
    completed: task.completedAt,
  };
  const all: Record<string, unknown> = {
    ...task,
    customer: customer && {
      id: customer.id,
      name: [customer.user.firstName, customer.user.lastName].join(' '),
      email: customer.user.email,
    },
    children: (children ?? []).map((child, number) =>
      shownOf(child as TaskView, expectedChildren[number] ?? { children: [] }),
    ),
    address: task.location?.address ?? null,
    pickup: task.pickupLocation?.address ?? null,
    failed: task.failureReason !== null,
    packages: task.packages.map(({ id, taskId, name, quantity, status }) => ({ id, taskId, name, quantity, status })),
    isDelayed: isOver(task.status) ? delayAtEnd(task) : task.isDelayed,
    search: task.autoAssignmentStatus,
    steps: Object.entries(flags).flatMap(([name, at]) => (at === null ? [] : [name])),
  };
  return Object.fromEntries(Object.keys(known).map((name) => [name, all[name]]));
}
