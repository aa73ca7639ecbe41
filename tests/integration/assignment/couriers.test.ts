import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { pino } from 'pino';
import type { Scheduler } from '../../../engine/runtime/clock.ts';
import { createCourierStore } from '../../../engine/store/planning/courier-store.ts';
import { createFleetStore } from '../../../engine/store/planning/fleet-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import { type AssignmentSettings, assignmentSettingsOf } from '../../../schema/assignment/assignment.ts';
import type { FleetVehicle } from '../../../schema/assignment/courier.ts';
import type { Answer } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { OwnerCommand } from '../../../schema/owner-command.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { createCallCouriers } from '../../../workers/assignment/couriers/book-couriers.ts';
import { CourierTurn } from '../../../workers/assignment/couriers/courier-turn.ts';
import { createFleetProvider } from '../../../workers/assignment/couriers/fleet-provider.ts';
import { startTellingCompanies } from '../../../workers/assignment/couriers/notify-companies.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { type AssignmentFixture, startAssignmentFixture } from './assignment-fixture.ts';

const BIKE: FleetVehicle = {
  externalId: 'bike-7',
  name: 'Billie',
  vehicleType: 'bike',
  phone: '+442079460007',
  trackingUrl: 'https://couriers.example/bike-7',
  maxWeightKg: 10,
};
const VAN: FleetVehicle = { externalId: 'van-1', name: 'Vera', vehicleType: 'van', maxWeightKg: 500 };

let place: AssignmentFixture;
let sql: Sql;
let settings: AssignmentSettings;
before(async () => {
  place = await startAssignmentFixture({ externalCouriers: true });
  sql = connectPostgres(place.databaseUrl, { name: 'test', connections: 4, statementTimeoutMs: LIMITS.readDeadlineMs });
});
// Each test has a fleet of its own, whose vehicles no other has given anything to.
let fleets = 0;
beforeEach(() => withFleet([BIKE, VAN]));
after(async () => {
  await sql.end({ timeout: 2 });
  await place.stop();
});

function withFleet(fleet: readonly FleetVehicle[], given: Partial<AssignmentSettings> = {}): void {
  fleets += 1;
  const externalFleet = fleet.map((vehicle) => ({ ...vehicle, externalId: `${vehicle.externalId}#${fleets}` }));
  settings = assignmentSettingsOf({ assignment: { externalCouriers: true, externalFleet, ...given } });
}

/** Calls couriers for tasks that weigh so much, as a round that found no agent does. */
async function call(...tasks: readonly Weighed[]): Promise<void> {
  await callBy(
    (command) => place.engine.ask(place.organization.organizationId, { ...command, caller: system() }),
    tasks,
  );
}

/** As another process does, whose commands go this way. */
async function callBy(ask: (command: OwnerCommand) => Promise<Answer>, tasks: readonly Weighed[]): Promise<void> {
  const bookCouriers = createCallCouriers({
    provider: createFleetProvider(createFleetStore(sql)),
    store: createCourierStore(sql),
    ask: (_organizationId, command) => ask(command),
    log: pino({ level: 'silent' }),
  });
  const round = { turn: new CourierTurn(), after: 0, last: Number.POSITIVE_INFINITY };
  await bookCouriers(place.organization.organizationId, settings, tasks.map(jobOf), round);
}

function system() {
  const { channelId } = place.organization;
  return { type: 'system', id: null, channelId, role: 'system', agentId: null } as const;
}

const fleet = () => createFleetProvider(createFleetStore(sql));

async function isCalledOff({ task }: Weighed): Promise<boolean> {
  return (await fleet().findCalledOff()).some(({ taskIds }) => taskIds.includes(task.id));
}

async function tellCompanies(hasHeard: () => Promise<boolean>): Promise<void> {
  const time = new HandScheduler();
  const news = startTellingCompanies(fleet(), time, pino({ level: 'silent' }));
  time.tick();
  await until('it has heard of it', hasHeard);
  await news.stop();
}

/** Timers and intervals run when the test says so. */
class HandScheduler implements Scheduler {
  readonly #tasks: (() => void)[] = [];

  after(): () => void {
    return () => {};
  }

  every(_periodMs: number, task: () => void): () => void {
    this.#tasks.push(task);
    return () => {};
  }

  soon(task: () => void): void {
    task();
  }

  tick(): void {
    for (const task of this.#tasks) task();
  }
}

interface Weighed {
  readonly task: TaskView;
  readonly kg: number;
}

function jobOf({ task, kg }: Weighed) {
  return { taskId: task.id, load: { weightKg: kg, volumeM3: 0, packages: 1 }, pickup: null, dropoff: null };
}

async function weighing(kg: number): Promise<Weighed> {
  return { task: await place.task({ packages: [{ name: 'a box', weight: kg }] }), kg };
}

/** Without the number of the fleet. */
async function courierOf({ task }: Weighed): Promise<string | undefined> {
  return (await place.read(task.id)).courier?.externalId.split('#')[0];
}

async function isSought({ task }: Weighed): Promise<boolean> {
  return (await place.sought()).includes(task.id);
}

describe('an external courier', () => {
  test('an external courier takes a task that no agent can take, counts as its courier, and reports its steps as events', async () => {
    const small = await weighing(4);
    await call(small);
    const task = await place.read(small.task.id);
    assert.equal(task.status, 'accepted');
    assert.equal(task.courierType, 'external');
    assert.equal(task.agentId, null);
    assert.equal(task.autoAssignmentStatus, 'assigned');
    assert.ok(task.assignedAt && task.acceptedAt);
    assert.deepEqual(task.courier, {
      id: task.courierId,
      name: 'Billie',
      provider: 'fleet',
      externalId: `bike-7#${fleets}`,
      phoneNumber: '2079460007',
      countryCode: '+44',
      vehicleType: 'bike',
      vehicle: { maxWeightKg: 10, maxVolumeM3: null, maxPackages: null },
      trackingUrl: 'https://couriers.example/bike-7',
    });
    assert.deepEqual((await place.history(task.id)).map(({ toStatus, details }) => [toStatus, details]).slice(-2), [
      ['assigned', { courierId: task.courierId }],
      ['accepted', null],
    ]);
    assert.deepEqual((await place.events(task.id)).slice(-2), ['task.status_changed', 'task.status_changed']);
    assert.ok(!(await isSought(small)));
  });

  test('an external courier is the same one, with the same id, for the next task', async () => {
    const [one, two] = [await weighing(4), await weighing(4)];
    await call(one);
    await call(two);
    const [first, second] = [await place.read(one.task.id), await place.read(two.task.id)];
    assert.ok(first.courierId !== null && first.courierId === second.courierId);
  });

  test('an external courier comes in a vehicle that carries it beside what it has, or not at all', async () => {
    const tasks = [await weighing(6), await weighing(6), await weighing(400), await weighing(600)];
    await call(...tasks);
    assert.deepEqual(await Promise.all(tasks.map(courierOf)), ['bike-7', 'van-1', 'van-1', undefined]);
    assert.ok(await isSought(tasks[3]!));
  });

  test('an external courier is free again when the task is done, cancelled or taken from it', async () => {
    withFleet([BIKE]);
    const { staff, engine, organization } = place;
    const { organizationId } = organization;
    const step = async (taskId: number, status: 'in_transit' | 'completed' | 'cancelled') => {
      const answer = await engine.ask(organizationId, {
        kind: 'change-task-status',
        caller: staff,
        taskId,
        input: { status },
      } as Parameters<typeof engine.ask>[1]);
      assert.ok(answer.ok, JSON.stringify(answer));
    };
    for (const end of ['completed', 'cancelled', 'unassigned'] as const) {
      const heavy = await weighing(10);
      await call(heavy);
      assert.equal(await courierOf(heavy), 'bike-7', `before it is ${end}`);
      await forget();
      const next = await weighing(10);
      await call(next);
      assert.equal(await courierOf(next), undefined, 'it has no room');
      if (end === 'completed') await step(heavy.task.id, 'in_transit');
      if (end !== 'unassigned') await step(heavy.task.id, end);
      else {
        const unassign = { kind: 'unassign-task', caller: staff, taskId: heavy.task.id, input: {} } as const;
        assert.ok((await engine.ask(organizationId, unassign)).ok);
        assert.equal((await place.read(heavy.task.id)).courierId, null);
      }
      await call(next);
      assert.equal(await courierOf(next), 'bike-7', `after it was ${end}`);
      await step(next.task.id, 'cancelled');
      await forget();
    }
  });

  test('an external courier is free as soon as a task is done, however lately it was booked', async () => {
    withFleet([BIKE]);
    const { engine, organization, staff } = place;
    const [first, second] = [await weighing(10), await weighing(10)];
    await call(first);
    assert.equal(await courierOf(first), 'bike-7');
    for (const status of ['in_transit', 'completed'] as const) {
      const step = { kind: 'change-task-status', taskId: first.task.id, input: { status } } as const;
      await engine.ask(organization.organizationId, { ...step, caller: staff } as Parameters<typeof engine.ask>[1]);
    }
    await call(second);
    assert.equal(await courierOf(second), 'bike-7');
  });

  test('an external courier is not called where the organization does not want that, or has no fleet', async () => {
    const small = await weighing(1);
    withFleet([BIKE], { externalCouriers: false });
    await call(small);
    withFleet([]);
    await call(small);
    assert.equal(await courierOf(small), undefined);
  });

  test('an external courier gets no task that has become an agent’s in the meantime, and is notified of that', async () => {
    withFleet([BIKE]);
    const small = await weighing(10);
    await place.propose([{ taskId: small.task.id, agentId: await place.agent() }]);
    await call(small);
    assert.equal((await place.read(small.task.id)).courierType, 'internal');
    const other = await weighing(10);
    await call(other);
    assert.equal(await courierOf(other), 'bike-7', 'what was withdrawn takes no room');
  });

  test('an external courier gets nothing from an owner that does not hear of it, nor twice when the answer is lost', async () => {
    withFleet([BIKE]);
    const small = await weighing(10);
    await callBy(async () => ({ ok: false, refusal: { code: 'NOT_OWNER', message: 'no' } }), [small]);
    assert.equal(await courierOf(small), undefined);
    await call(small);
    assert.equal(await courierOf(small), 'bike-7');
    await call(small);
    assert.equal((await place.read(small.task.id)).status, 'accepted');
  });

  test('an external courier is not withdrawn while the lost answer may still become a courier, and is when it has become none', async () => {
    withFleet([BIKE]);
    const [small, other] = [await weighing(10), await weighing(10)];
    const lost: Answer = { ok: false, refusal: { code: 'OUTCOME_UNKNOWN', message: 'lost' } };
    let late: OwnerCommand | undefined;
    await callBy(
      async (command) => {
        late = command;
        return lost;
      },
      [small],
    );
    assert.ok(!(await isCalledOff(small)));
    await call(other);
    assert.equal(await courierOf(other), undefined, 'the bike is booked');
    await place.engine.ask(place.organization.organizationId, { ...late!, caller: system() });
    await forget();
    assert.equal(await courierOf(small), 'bike-7');
    assert.ok(!(await isCalledOff(small)), 'it has arrived');
    withFleet([BIKE]);
    await callBy(async () => lost, [other]);
    await forget();
    assert.ok(await isCalledOff(other), 'it has not');
    await fleet().withdraw(place.organization.organizationId, [other.task.id]);
    assert.ok(!(await isCalledOff(other)));
  });

  test('an external courier is notified when its task is cancelled, even after its caller is gone, and is free at once', async () => {
    withFleet([BIKE]);
    const [first, second] = [await weighing(10), await weighing(10)];
    await call(first);
    assert.equal(await courierOf(first), 'bike-7');
    assert.ok(!(await isCalledOff(first)));
    const { engine, organization, staff } = place;
    const cancel = { kind: 'change-task-status', taskId: first.task.id, input: { status: 'cancelled' } } as const;
    await engine.ask(organization.organizationId, { ...cancel, caller: staff } as Parameters<typeof engine.ask>[1]);
    await call(second);
    assert.equal(await courierOf(second), undefined, 'it has not heard of it');
    await tellCompanies(async () => !(await isCalledOff(first)));
    await call(second);
    assert.equal(await courierOf(second), 'bike-7');
  });

  for (const [name, kind] of [
    ['unassigned', 'unassign-task'],
    ['reassigned', 'reassign-task'],
  ] as const)
    test(`an external courier is free as soon as it is notified that its task was ${name}, however lately it was booked`, async () => {
      withFleet([BIKE]);
      const { engine, organization, staff } = place;
      const [first, second] = [await weighing(10), await weighing(10)];
      await call(first);
      assert.equal(await courierOf(first), 'bike-7');
      assert.ok(!(await isCalledOff(first)));
      const input = kind === 'reassign-task' ? { agentId: await place.agent() } : {};
      const caller = { ...staff, type: 'user', role: 'admin' };
      const step = { kind, caller, taskId: first.task.id, input } as Parameters<typeof engine.ask>[1];
      const answer = await engine.ask(organization.organizationId, step);
      assert.ok(answer.ok, JSON.stringify(answer));
      await tellCompanies(async () => !(await isCalledOff(first)));
      await call(second);
      assert.equal(await courierOf(second), 'bike-7');
    });

  test('an external courier that gets its task again has it, and is not called off for the time before', async () => {
    withFleet([BIKE]);
    const { engine, organization, staff } = place;
    const heavy = await weighing(10);
    await call(heavy);
    const unassign = { kind: 'unassign-task', caller: staff, taskId: heavy.task.id, input: {} } as const;
    assert.ok((await engine.ask(organization.organizationId, unassign)).ok);
    assert.ok(await isCalledOff(heavy));
    const lost: Answer = { ok: false, refusal: { code: 'OUTCOME_UNKNOWN', message: 'lost' } };
    await callBy(async () => lost, [heavy]);
    assert.ok(!(await isCalledOff(heavy)), 'the second command may be on its way');
  });

  test('an external courier fails without holding up anybody', async () => {
    const small = await weighing(1);
    await callBy(async () => {
      throw new Error('nobody there');
    }, [small]);
    assert.ok(await isSought(small));
  });
});

test('two processes that call at once never give a vehicle more than goes in', async () => {
  withFleet([BIKE, { ...BIKE, externalId: 'bike-8' }]);
  const tasks = await Promise.all(Array.from({ length: 12 }, () => weighing(4)));
  await Promise.all(tasks.map((task) => call(task)));
  const couriers = await Promise.all(tasks.map(courierOf));
  for (const bike of ['bike-7', 'bike-8']) assert.ok(couriers.filter((one) => one === bike).length <= 2);
  await call(...tasks.filter((_, index) => couriers[index] === undefined));
  const all = await Promise.all(tasks.map(courierOf));
  assert.equal(all.filter((one) => one !== undefined).length, 4);
});

/** Lets the moment pass in which a booking counts without a task that has it. */
function forget(): Promise<unknown> {
  return withSql(
    place.databaseUrl,
    (sql) => sql`UPDATE fleet_jobs SET booked_at = booked_at - ${LIMITS.courierBookingMs} * interval '1 millisecond'
      WHERE organization_id = ${place.organization.organizationId}`,
  );
}
