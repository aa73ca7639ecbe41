import fc from 'fast-check';
import { isoTime } from '../../../../engine/runtime/clock.ts';
import { PACKAGE_STATUSES } from '../../../../schema/tasks/package.ts';
import { TASK_STATUSES } from '../../../../schema/tasks/task.ts';
import type { PatchBody, PlaceBody, Request, StatusBody, TaskBody, WarehouseBody } from './request.ts';

/** Ids that steps can name; a small number picks one, so that steps meet. */
export interface Known {
  readonly tasks: readonly number[];
  readonly packages: readonly number[];
  readonly customers: readonly number[];
  readonly warehouses: readonly number[];
  readonly nowMs: number;
  packagesOf(taskId: number): readonly number[];
  /** The status of a task or a package; undefined when it is not there. */
  statusOf(kind: 'tasks' | 'packages', id: number): string | undefined;
}

/** One step of a random history: a request that is made once it is known what there is to name, or something else. */
export type Step =
  | { readonly kind: 'send'; readonly make: (known: Known) => Request; readonly key: number | undefined }
  /** The same request with the same key as one before. */
  | { readonly kind: 'repeat'; readonly which: number }
  /** Gives a task to the agent, or takes it back. */
  | { readonly kind: 'assign' | 'unassign'; readonly task: number }
  /** The agent is called something else. */
  | { readonly kind: 'rename'; readonly name: string }
  /** A minute and a half passes. */
  | { readonly kind: 'wait' }
  /** The actor leaves memory. */
  | { readonly kind: 'retire' };

const UNKNOWN_ID = 999_999_999;
const MINUTE = 60_000;

const nextOf = (way: readonly string[], now: string | undefined): string | undefined =>
  now === undefined || !way.includes(now) ? undefined : way[way.indexOf(now) + 1];
const index = fc.nat(20);
/** Rarely one that is not there. */
const pick = (ids: readonly number[], number: number): number =>
  number === 20 ? UNKNOWN_ID : (ids[number % Math.max(ids.length, 1)] ?? UNKNOWN_ID);
/** There once in `oneIn` times. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>, oneIn = 2): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const place = fc
  .nat(3)
  .map((number): PlaceBody => ({ address: `${number} Main Street`, latitude: 51.5, longitude: number }));
const data = fc.constantFrom<Readonly<Record<string, unknown>>[]>(
  {},
  { order: 'A-1' },
  { order: 'A-2', n: 7, deep: [1] },
);
const phoneOf = (number: number) => `+44207946095${number}`;
const emailOf = (number: number) => `c${number}@example.com`;

const customer = fc.record({ phone: fc.nat(4), email: maybe(fc.nat(3)) }).map(({ phone, email }) => ({
  name: `Ada ${'ABCDE'[phone]}`,
  phone: phoneOf(phone),
  ...(email === undefined ? {} : { email: emailOf(email) }),
}));

/** Drops what is undefined: a body has no such fields. */
const compact = <T extends object>(body: T): T =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as T;

type Make<T> = (known: Known) => T;

const onePart: fc.Arbitrary<Make<TaskBody>> = fc
  .record({
    shape: fc.constantFrom('specified', 'specified', 'alternate', 'cash'),
    customer,
    customerId: maybe(index, 5),
    place,
    pickup: maybe(fc.oneof(place, index), 4),
    code: maybe(fc.nat(9), 5),
    notes: maybe(fc.constantFrom('a', 'b'), 3),
    due: fc.constantFrom('never', 'never', 'soon', 'scheduled'),
    integrationData: maybe(data, 3),
    packages: fc.nat(2),
    packageIds: maybe(fc.array(index, { minLength: 1, maxLength: 2 }), 8),
    autoAssign: maybe(fc.boolean(), 4),
  })
  .map((wish) => (known: Known): TaskBody => {
    const { shape, customerId, pickup, code, due } = wish;
    const isCash = shape === 'cash';
    const named = { name: 'A task', taskType: isCash ? 'cash_collection' : 'delivery', location: wish.place };
    return compact({
      ...(shape === 'alternate' ? { type: 'PICKUP', dropoffLocation: wish.place } : named),
      ...(customerId === undefined ? { customer: wish.customer } : { customerId: pick(known.customers, customerId) }),
      pickupLocation: typeof pickup === 'object' ? pickup : undefined,
      pickupWarehouseId: typeof pickup === 'number' ? pick(known.warehouses, pickup) : undefined,
      code: code === undefined ? undefined : `C-${code}`,
      notes: wish.notes,
      estimatedDuration: due === 'never' ? undefined : 1,
      ...(due === 'scheduled' ? { timeToServe: 'scheduled', scheduledAt: isoTime(known.nowMs + MINUTE) } : {}),
      integrationData: wish.integrationData,
      packages: Array.from({ length: wish.packages }, (_, number) => ({ name: `Box ${number}`, quantity: number + 1 })),
      packageIds: wish.packageIds?.map((number) => pick(known.packages, number)),
      autoAssign: wish.autoAssign,
      amount: isCash ? '12.50' : undefined,
    } as TaskBody);
  });

const task: fc.Arbitrary<Make<TaskBody>> = fc
  .record({
    part: onePart,
    children: maybe(fc.array(onePart, { minLength: 1, maxLength: 3 }), 4),
    parent: maybe(index, 4),
  })
  .map(({ part, children, parent }) => (known) => {
    const own = part(known);
    // A cash task is no job; that it does not become one later is for the engine to see.
    if (children && own.amount === undefined) return { ...own, children: children.map((child) => child(known)) };
    return parent === undefined ? own : { ...own, parentId: pick(known.tasks, parent) };
  });

const batch: fc.Arbitrary<Make<Request>> = fc
  .record({
    items: fc.array(fc.record({ task, key: maybe(fc.nat(5)) }), { minLength: 1, maxLength: 4 }),
    atomic: fc.boolean(),
  })
  .map(({ items, atomic }) => (known) => ({
    kind: 'batch',
    atomic,
    items: items.map(({ task: make, key }) =>
      key === undefined ? make(known) : { ...make(known), idempotencyKey: `item ${key}` },
    ),
  }));

const patch: fc.Arbitrary<Make<Request>> = fc
  .record({
    task: index,
    notes: maybe(fc.constantFrom('a', 'b', null)),
    integrationData: maybe(fc.oneof(data, fc.constant(null)), 3),
    scheduled: maybe(fc.constant(true), 3),
    location: maybe(place, 3),
    packages: maybe(fc.array(fc.option(fc.nat(2), { freq: 3 }), { maxLength: 3 })),
  })
  .map(({ task: number, scheduled, packages, ...fields }) => (known) => {
    const id = pick(known.tasks, number);
    const own = known.packagesOf(id);
    const ids = new Set<number>();
    const entries = packages?.flatMap((one): NonNullable<PatchBody['packages']>[number][] => {
      if (one === null) return [{ name: 'Added' }];
      const packageId = pick(own.length > 0 ? own : known.packages, one);
      if (ids.has(packageId)) return [];
      ids.add(packageId);
      return [one === 0 ? { id: packageId } : { id: packageId, quantity: one }];
    });
    const scheduledAt = scheduled && isoTime(known.nowMs + MINUTE);
    const body = compact({ ...fields, scheduledAt, packages: entries }) as PatchBody;
    return { kind: 'update', id, body };
  });

const status: fc.Arbitrary<Make<Request>> = fc
  .record({
    task: index,
    to: maybe(fc.constantFrom(...TASK_STATUSES, 'cancelled', 'cancelled')),
    fails: fc.boolean(),
    moment: fc.constantFrom(...(['none', 'none', 'none', 'now', 'past', 'future'] as const)),
    asAgent: fc.nat(3).map((number) => number === 0),
  })
  .map(({ task: number, to: wish, fails, moment, asAgent }) => (known) => {
    const id = pick(known.tasks, number);
    const to = wish ?? nextOf(TASK_STATUSES.slice(2, 6), known.statusOf('tasks', id)) ?? 'accepted';
    const moments = { none: undefined, now: known.nowMs, past: 0, future: known.nowMs + 10 * MINUTE };
    const at = moments[moment];
    const body: StatusBody = compact({
      status: to,
      ...(fails && to === 'completed' ? { outcome: 'failed', failureReason: 'nobody there' } : {}),
      occurredAt: at === undefined ? undefined : isoTime(at),
    } as StatusBody);
    return { kind: 'status', id, body, moment, asAgent };
  });

const other: fc.Arbitrary<Make<Request>> = fc.oneof(
  index.map(
    (one): Make<Request> =>
      (known) => ({ kind: 'add-package', id: pick(known.tasks, one), body: { name: 'Late' } }),
  ),
  customer.map(
    (body): Make<Request> =>
      () => ({ kind: 'create-customer', body }),
  ),
  fc
    .record({
      one: index,
      phone: maybe(fc.nat(4)),
      email: maybe(fc.option(fc.nat(3), { freq: 3 })),
      address: maybe(fc.constant('Here')),
    })
    .map(
      ({ one, phone, email, address }): Make<Request> =>
        (known) => {
          const changed = { phone: phone === undefined ? undefined : phoneOf(phone), address };
          const mail = typeof email === 'number' ? emailOf(email) : email;
          return {
            kind: 'update-customer',
            id: pick(known.customers, one),
            body: compact({ ...changed, email: mail } as object),
          };
        },
    ),
  fc.record({ location: place, isActive: fc.boolean() }).map(
    (wish): Make<Request> =>
      () => ({ kind: 'create-warehouse', body: { name: 'North', ...wish } }),
  ),
  fc.record({ one: index, location: maybe(place), isActive: maybe(fc.boolean()) }).map(
    ({ one, ...body }): Make<Request> =>
      (known) => {
        return { kind: 'update-warehouse', id: pick(known.warehouses, one), body: compact(body as WarehouseBody) };
      },
  ),
);

const WAY = ['pending', 'picking_up', 'picked_up', 'delivering', 'delivered', 'dropping_payment', 'payment_dropped'];
const packageStep: fc.Arbitrary<Make<Request>> = fc
  .record({ one: index, to: maybe(fc.constantFrom(...PACKAGE_STATUSES), 3) })
  .map(({ one, to }) => (known) => {
    const id = pick(known.packages, one);
    const next = nextOf(WAY, known.statusOf('packages', id)) ?? 'picking_up';
    return { kind: 'package-status', id, body: { status: to ?? next } };
  });

const create = task.map(
  (make): Make<Request> =>
    (known) => ({ kind: 'create', body: make(known) }),
);

const send = (make: fc.Arbitrary<Make<Request>>) =>
  fc.record({ kind: fc.constant('send' as const), make, key: maybe(fc.nat(30), 3) });

/** Steps that may be sent together. */
export const request: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: send(create) },
  { weight: 2, arbitrary: send(batch) },
  { weight: 4, arbitrary: send(patch) },
  { weight: 8, arbitrary: send(status) },
  { weight: 5, arbitrary: send(packageStep) },
  { weight: 4, arbitrary: send(other) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat' as const), which: fc.nat(20) }) },
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: request },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('assign' as const), task: index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unassign' as const), task: index }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rename' as const), name: fc.constantFrom('Amina Ba', 'Bo', 'Amina B') }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'wait' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'retire' }) },
);

const OPENING_TASK = {
  name: 'A task',
  taskType: 'delivery',
  customer: { name: 'Ada A', phone: phoneOf(0) },
  location: { address: 'The first street', latitude: 1, longitude: 1 },
};
const box = { name: 'Box' };
const opening: readonly TaskBody[] = [
  { ...OPENING_TASK, packages: [box, box] },
  {
    ...OPENING_TASK,
    autoAssign: true,
    packages: [box],
    children: [{ ...OPENING_TASK, packages: [box] }, OPENING_TASK],
  },
];
/** How every history begins, so that there is something to name: a task, a job, a warehouse. */
export const OPENING: readonly Step[] = [
  ...opening.map((body): Step => ({ kind: 'send', key: undefined, make: () => ({ kind: 'create', body }) })),
  {
    kind: 'send',
    key: undefined,
    make: () => ({
      kind: 'create-warehouse',
      body: { name: 'South', location: OPENING_TASK.location, isActive: true },
    }),
  },
];
