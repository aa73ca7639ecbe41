import * as v from 'valibot';
import type { Engine } from '../../../engine/org/start-engine.ts';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import type { AssignmentRequestView, AssignmentSettings } from '../../../schema/assignment/assignment.ts';
import type { LackingTask, ProposedOffer } from '../../../schema/assignment/proposed-offer.ts';
import type { Answer, Caller, Command } from '../../../schema/commands.ts';
import { createTaskSchema } from '../../../schema/tasks/create-task.ts';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { callerOf, openTestEngine } from '../../faults/support/engine-fixture.ts';
import { type SeededOrganization, seedAgent, seedOrganization, withSql } from '../../support/seeds/seed.ts';
import { createMigratedDatabase, type TestDatabase } from '../../support/stores.ts';

const CUSTOMER = { name: 'Ada Lovelace', phone: '+442079460001' };
const LOCATION = { address: '12 St James Square, London', latitude: 51.5072178, longitude: -0.1357 };

/** An engine whose clock can be set forward, with one organization and no workers: the test is the planner. */
export async function startAssignmentFixture(settings: Partial<AssignmentSettings> = {}): Promise<AssignmentFixture> {
  const database = await createMigratedDatabase();
  const organization = await seedOrganization(database.url);
  const { leadMinutes, ...assignment } = settings;
  const all = { assignment, ...(leadMinutes === undefined ? {} : { leadMinutes }) };
  await withSql(
    database.url,
    (sql) => sql`UPDATE organizations SET settings = ${sql.json(all)}
      WHERE organization_id = ${organization.organizationId}`,
  );
  const fixture = new AssignmentFixture(database, organization);
  await fixture.restart();
  return fixture;
}

type Step = Pick<HistoryStepView, 'kind' | 'fromStatus' | 'toStatus' | 'reasonCode' | 'details'>;

export class AssignmentFixture {
  engine!: Engine;
  readonly databaseUrl: string;
  readonly organization: SeededOrganization;
  readonly staff: Caller;
  readonly #database: TestDatabase;
  readonly #organizationId: number;
  #aheadMs = 0;
  #releaser = createReleaser(() => {});

  constructor(database: TestDatabase, organization: SeededOrganization) {
    this.#database = database;
    this.databaseUrl = database.url;
    this.organization = organization;
    this.#organizationId = organization.organizationId;
    this.staff = callerOf(organization);
  }

  /** The engine's time, in milliseconds. */
  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  /** One on duty. */
  async agent(vehicle?: object): Promise<number> {
    const { agentId } = await seedAgent(this.databaseUrl, this.#organizationId);
    await withSql(
      this.databaseUrl,
      (sql) => sql`UPDATE agents SET on_duty = true, vehicle = ${vehicle ? sql.json(vehicle as never) : null}
        WHERE organization_id = ${this.#organizationId} AND id = ${agentId}`,
    );
    return agentId;
  }

  as(agentId: number): Caller {
    return { ...this.staff, type: 'user', role: 'agent', agentId };
  }

  async task(fields = {}): Promise<TaskView> {
    const body = {
      name: 'a',
      taskType: 'delivery',
      customer: CUSTOMER,
      location: LOCATION,
      autoAssign: true,
      ...fields,
    };
    const input = v.parse(createTaskSchema(), body);
    return JSON.parse(await this.#mustAsk({ kind: 'create-task', caller: this.staff, input })) as TaskView;
  }

  async read(taskId: number): Promise<TaskView> {
    return JSON.parse(await this.#mustAsk({ kind: 'read-task', caller: this.staff, taskId, show: 'task' })) as TaskView;
  }

  async propose(
    offers: readonly Pick<ProposedOffer, 'taskId' | 'agentId' | 'heldTasks'>[],
    lacking: readonly LackingTask[] = [],
  ): Promise<void> {
    const { channelId } = this.organization;
    const system: Caller = { type: 'system', id: null, channelId, role: 'system', agentId: null };
    const whole = offers.map((offer) => ({ score: 1, distanceM: 100, etaSeconds: 60, ...offer }));
    await this.#mustAsk({ kind: 'propose-offers', caller: system, offers: whole, lacking });
  }

  answer(requestId: number, answer: 'accept' | 'reject', caller: Caller = this.staff): Promise<Answer> {
    return this.ask({ kind: 'answer-request', caller, requestId, answer });
  }

  ask(command: Command): Promise<Answer> {
    return this.engine.ask(this.#organizationId, command);
  }

  /** Requests of a task, in the order of their making. */
  requests(taskId: number): Promise<AssignmentRequestView[]> {
    return this.#query(
      (sql) => sql<AssignmentRequestView[]>`
        SELECT * FROM assignment_requests
        WHERE organization_id = ${this.#organizationId} AND task_id = ${taskId} ORDER BY id`,
    );
  }

  /** Tasks that rounds would look at. */
  async sought(): Promise<number[]> {
    const rows = await this.#query(
      (sql) => sql<{ taskId: number }[]>`
        SELECT task_id FROM searching_tasks WHERE organization_id = ${this.#organizationId} ORDER BY task_id`,
    );
    return rows.map(({ taskId }) => taskId);
  }

  history(taskId: number): Promise<Step[]> {
    return this.#query(
      (sql) => sql<Step[]>`
        SELECT kind, from_status, to_status, reason_code, details FROM task_history
        WHERE organization_id = ${this.#organizationId} AND task_id = ${taskId} ORDER BY sequence`,
    );
  }

  /** Types of the events of a task and of its requests. */
  async events(taskId: number): Promise<string[]> {
    return (await this.told(taskId)).map(({ type }) => type);
  }

  /** The events of a task and of its requests. */
  async told(taskId: number): Promise<{ readonly type: string; readonly data: Readonly<Record<string, unknown>> }[]> {
    const rows = await this.#query(
      (sql) => sql<{ type: string; body: string }[]>`
        SELECT type, body FROM events WHERE organization_id = ${this.#organizationId} ORDER BY sequence`,
    );
    return rows.flatMap(({ type, body }) => {
      const { data } = JSON.parse(body);
      return (data.task?.id ?? data.assignmentRequest?.taskId) === taskId ? [{ type, data }] : [];
    });
  }

  /** When the organization is woken next, and the earliest of what its tasks wait for. */
  async deadlines(): Promise<{ readonly next: string | null; readonly earliest: string | null }> {
    const [row] = await this.#query(
      (sql) => sql<{ next: string | null; earliest: string | null }[]>`
        SELECT h.next_deadline_at AS next,
          (SELECT min(deadline_at) FROM tasks t WHERE t.organization_id = h.organization_id) AS earliest
        FROM organization_heads h WHERE h.organization_id = ${this.#organizationId}`,
    );
    return row!;
  }

  /** Sets the clock forward; no timer has seen it yet. */
  forward(ms: number): void {
    this.#aheadMs += ms;
  }

  /** Sets the clock forward and lets the timers that are due then run. */
  async pass(ms: number): Promise<void> {
    this.forward(ms);
    const actor = this.engine.parts.directory.find(this.#organizationId);
    // A round in progress started before, with the time of then.
    await actor?.wake();
    await actor?.wake();
    await this.engine.parts.groupCommit.whenIdle();
  }

  async restart(): Promise<void> {
    await this.#releaser.stop();
    this.#releaser = createReleaser(() => {});
    // An engine begins with the right time only.
    const was = this.#aheadMs;
    this.#aheadMs = 0;
    const clock = { ...systemClock, now: () => this.now() };
    this.engine = await openTestEngine(this.databaseUrl, { releaser: this.#releaser, clock });
    this.#aheadMs = was;
  }

  async stop(): Promise<void> {
    await this.#releaser.stop();
    await this.#database.drop();
  }

  async #mustAsk(command: Command): Promise<string> {
    const answer = await this.ask(command);
    if (!answer.ok) throw new Error(`${command.kind}: ${answer.refusal.code} ${answer.refusal.message}`);
    return answer.data;
  }

  #query<T>(run: (sql: Sql) => PromiseLike<readonly T[]>): Promise<T[]> {
    return withSql(this.databaseUrl, async (sql) => [...(await run(sql))]);
  }
}
