import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { STRAIGHT_WAYS } from '../../../engine/domain/travel/known-ways.ts';
import { computeRound } from '../../../engine/planning/compute-round.ts';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createCourierStore } from '../../../engine/store/planning/courier-store.ts';
import { createFleetStore } from '../../../engine/store/planning/fleet-store.ts';
import { createRoundStore } from '../../../engine/store/planning/round-store.ts';
import type { KnownPosition } from '../../../engine/store/positions/position-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import { assignmentSettingsOf } from '../../../schema/assignment/assignment.ts';
import type { Caller } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { OwnerCommand } from '../../../schema/owner-command.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { createCallCouriers } from '../../../workers/assignment/couriers/book-couriers.ts';
import { createFleetProvider } from '../../../workers/assignment/couriers/fleet-provider.ts';
import { RoundScheduler } from '../../../workers/assignment/round-scheduler.ts';
import { until } from '../../support/until.ts';
import { type AssignmentFixture, startAssignmentFixture } from '../assignment/assignment-fixture.ts';

const TASK_KG = 5;
const PLACE = { address: 'Here', latitude: 0.001, longitude: 0 };

/** An engine, its real stores and the rounds of the workers, in this process; the test says where agents are. */
class Place {
  readonly #fixture: AssignmentFixture;
  readonly #sql: Sql;
  readonly #isAllowed: boolean;
  readonly #positions = new Map<number, KnownPosition>();

  constructor(fixture: AssignmentFixture, isAllowed: boolean) {
    this.#fixture = fixture;
    this.#isAllowed = isAllowed;
    const options = { name: 'test', connections: 2, statementTimeoutMs: LIMITS.readDeadlineMs };
    this.#sql = connectPostgres(fixture.databaseUrl, options);
  }

  /** On duty, right where the task begins, unless it is said otherwise. */
  async agent({ maxWeightKg = 100, ageMs = 0 } = {}): Promise<number> {
    const vehicle = { type: 'car', maxWeightKg, maxVolumeM3: null, maxPackages: null };
    const agentId = await this.#fixture.agent(vehicle);
    const { latitude, longitude } = PLACE;
    this.#positions.set(agentId, { agentId, latitude, longitude, recordedAtMs: Date.now() - ageMs, heardAtMs: 0 });
    return agentId;
  }

  task(): Promise<TaskView> {
    return this.#fixture.task({ location: PLACE, packages: [{ name: 'A box', weight: TASK_KG }] });
  }

  read(taskId: number): Promise<TaskView> {
    return this.#fixture.read(taskId);
  }

  async offDuty(agentId: number): Promise<void> {
    const input = { onDuty: false };
    await this.#must(this.#fixture.ask({ kind: 'change-duty', caller: this.#fixture.staff, agentId, input }));
  }

  /** The agent is asked, and answers. */
  async ask(taskId: number, agentId: number, answer: 'accept' | 'reject'): Promise<void> {
    await this.#fixture.propose([{ taskId, agentId }]);
    const request = (await this.#fixture.requests(taskId)).at(-1)!;
    await this.#must(this.#fixture.answer(request.id, answer, this.#fixture.as(agentId)));
  }

  /** One round, with this fleet of the courier company. */
  async round(maxWeightKg: number): Promise<void> {
    const { organizationId } = this.#fixture.organization;
    const van = { externalId: `van-${maxWeightKg}`, name: 'Vera', vehicleType: 'van', maxWeightKg };
    const assignment = { externalCouriers: this.#isAllowed, externalFleet: [van], batchingWindowMs: 0 };
    const log = createLog('test', 'silent');
    const ask = (_organizationId: number, command: OwnerCommand) =>
      this.#fixture.ask({ ...command, caller: systemOf(this.#fixture) });
    const scheduler = new RoundScheduler({
      store: createRoundStore(this.#sql),
      positions: { load: async () => [...this.#positions.values()] },
      turns: { take: async () => 0, giveBack: async () => {} },
      planner: { plan: async (input) => computeRound(input) },
      travel: { ...STRAIGHT_WAYS, prepare: async () => null },
      ask,
      bookCouriers: createCallCouriers({
        provider: createFleetProvider(createFleetStore(this.#sql)),
        store: createCourierStore(this.#sql),
        ask,
        log,
      }),
      faultPoints: () => {},
      clock: systemClock,
      scheduler: systemScheduler,
      log,
    });
    scheduler.nudge([
      { organizationId, lastSequence: 1, quietMs: 0, endsInMs: null, settings: assignmentSettingsOf({ assignment }) },
    ]);
    await until('the round is over', () => scheduler.counts.rounds + scheduler.counts.failed > 0);
    await scheduler.stop();
    assert.equal(scheduler.counts.failed, 0);
  }

  async stop(): Promise<void> {
    await this.#sql.end({ timeout: 2 });
    await this.#fixture.stop();
  }

  async #must(answering: ReturnType<AssignmentFixture['ask']>): Promise<void> {
    const answer = await answering;
    assert.ok(answer.ok, JSON.stringify(answer));
  }
}

function systemOf({ organization: { channelId } }: AssignmentFixture): Caller {
  return { type: 'system', id: null, channelId, role: 'system', agentId: null };
}

/** Makes the own fleet of a row; resolves to its agents. */
type MakeFleet = (place: Place, taskId: number) => Promise<readonly number[]>;

const nobody: MakeFleet = async () => [];
const able: MakeFleet = async (place) => [await place.agent()];
const stale: MakeFleet = async (place) => [await place.agent({ ageMs: LIMITS.positionStaleMs + 1_000 })];
const tooSmall: MakeFleet = async (place) => [await place.agent({ maxWeightKg: TASK_KG - 1 })];
const offDuty: MakeFleet = async (place) => {
  const agentId = await place.agent();
  await place.offDuty(agentId);
  return [];
};
const declined: MakeFleet = async (place, taskId) => {
  const agentId = await place.agent();
  await place.ask(taskId, agentId, 'reject');
  return [agentId];
};
const busy: MakeFleet = async (place) => {
  const agentId = await place.agent();
  await place.ask((await place.task()).id, agentId, 'accept');
  return [agentId];
};
/** Each of them excludes its agent, and none of them the others. */
const mixed: MakeFleet = async (place, taskId) =>
  (await Promise.all([stale(place, taskId), tooSmall(place, taskId)])).flat();

type Outcome = 'own' | 'waits' | 'external' | 'nobody';

/** The own fleet, and the outcome when external couriers are allowed and their vehicle carries the task. */
const FLEETS: readonly (readonly [what: string, make: MakeFleet, outcome: Outcome])[] = [
  ['an able agent', able, 'own'],
  ['a busy agent', busy, 'waits'],
  ['nobody', nobody, 'external'],
  ['an agent off duty', offDuty, 'external'],
  ['an agent with a stale position', stale, 'external'],
  ['an agent whose vehicle is too small', tooSmall, 'external'],
  ['an agent that declined', declined, 'external'],
  ['a stale agent and one whose vehicle is too small', mixed, 'external'],
];

function outcomeOf({ courierType, courierId, agentId, search, autoAssignmentStatus }: TaskView): Outcome | string {
  if (courierType === 'external') return courierId === null ? 'an external courier without id' : 'external';
  if (agentId !== null) return 'own';
  if (search?.waitsFor === 'busy_agent') return 'waits';
  return search?.waitsFor === 'eligible_agent' || autoAssignmentStatus === 'failed' ? 'nobody' : JSON.stringify(search);
}

for (const isAllowed of [true, false])
  describe(`external couriers that are ${isAllowed ? '' : 'not '}allowed`, () => {
    let place: Place;
    before(async () => {
      place = new Place(await startAssignmentFixture({ externalCouriers: isAllowed }), isAllowed);
    });
    after(() => place.stop());

    for (const [what, make, withCouriers] of FLEETS)
      for (const fits of [true, false]) {
        const outcome = withCouriers === 'external' && !(isAllowed && fits) ? 'nobody' : withCouriers;
        test(`with ${what} and a vehicle that ${fits ? 'fits' : 'is too small'} the task goes to: ${outcome}`, async () => {
          const { id } = await place.task();
          const agents = await make(place, id);
          await place.round(fits ? 1_000 : TASK_KG - 1);
          assert.equal(outcomeOf(await place.read(id)), outcome);
          for (const agentId of agents) await place.offDuty(agentId);
        });
      }
  });
