import assert from 'node:assert/strict';
import type { Sql } from '../../../engine/store/postgres.ts';
import type { AssignmentRequestView } from '../../../schema/assignment/assignment.ts';
import { isTerminal, TASK_STATUSES } from '../../../schema/tasks/task.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { seedChannel, withSql } from '../../support/seeds/seed.ts';
import { type CrashableSystem, startCrashableSystem } from '../../support/system/crashable-system.ts';
import { until } from '../../support/until.ts';
import { startWorkersProcess, type WorkersProcess } from '../workers/workers-place.ts';

export interface RoundsPlaceOptions {
  readonly agents: number;
  /** The setting `assignment` of the organization. */
  readonly assignment?: object;
  /** The agents' vehicle, as JSON; none by default. */
  readonly vehicle?: object;
  /** The gateway's settings, by the names of the variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** An organization with agents on duty in a row on the equator, and the processes that find tasks for them. */
export interface RoundsPlace {
  readonly system: CrashableSystem;
  /** A dispatcher's client; good for every gateway of the place. */
  readonly api: ApiClient;
  /** From west to east, a hundred metres from each other. */
  readonly agentIds: readonly number[];
  /** Changes the setting `assignment`, as the next gateway reads it. */
  setAssignment(assignment: object): Promise<void>;
  /** Changes parts of the setting `assignment`; null takes one back. Needs the gateway. */
  changeAssignment(parts: object): Promise<void>;
  /** May change everything of the organization; good for every gateway of the place. */
  readonly admin: ApiClient;
  /** `settings`: more of its environment. */
  startWorkers(settings?: Readonly<Record<string, string>>): Promise<WorkersProcess>;
  /** Says where agents are, every agent by default. Needs the gateway. */
  locate(agentIds?: readonly number[]): Promise<void>;
  /** A task at the first agent that somebody is to be found for. */
  createTask(fields?: object): Promise<TaskView>;
  requestsOf(taskId: number): Promise<AssignmentRequestView[]>;
  /** Cancels every task, so that all agents are free again. */
  cancelOpenTasks(): Promise<void>;
  /** The request of a task that waits for an answer. */
  untilOffered(taskId: number): Promise<AssignmentRequestView>;
  stop(): Promise<void>;
}

const OPEN = TASK_STATUSES.filter((status) => !isTerminal(status)).join();

export async function startRoundsPlace(options: RoundsPlaceOptions): Promise<RoundsPlace> {
  const system = await startCrashableSystem(options);
  try {
    return await fill(system, options);
  } catch (error) {
    await system.stop();
    throw error;
  }
}

async function fill(
  system: CrashableSystem,
  { agents, assignment, vehicle }: RoundsPlaceOptions,
): Promise<RoundsPlace> {
  const { databaseUrl, redisUrl, redisPrefix, organizationId, key } = system.place;
  const agentIds = await withSql(databaseUrl, (sql) => seedAgentsOnDuty(sql, organizationId, agents, vehicle));
  const setAssignment = (changed: object) =>
    withSql(databaseUrl, async (sql) => {
      const settings = { assignment: { batchingWindowMs: 0, requestTtlSeconds: 3_600, ...changed } };
      await sql`UPDATE organizations SET settings = ${JSON.stringify(settings)}::text::jsonb
        WHERE organization_id = ${organizationId}`;
    });
  await setAssignment(assignment ?? {});
  const dispatcher = await seedChannel(databaseUrl, organizationId, { role: 'dispatcher' });
  const orgAdmin = await seedChannel(databaseUrl, organizationId, { role: 'org_admin' });
  await system.startGateway();
  const api = createApiClient({ baseUrl: system.baseUrl, key: dispatcher.key });
  const admin = createApiClient({ baseUrl: system.baseUrl, key: orgAdmin.key });
  const devices = createApiClient({ baseUrl: system.baseUrl, key });
  const workers: WorkersProcess[] = [];
  return {
    system,
    api,
    agentIds,
    admin,
    setAssignment,
    async changeAssignment(parts) {
      const { status, text } = await admin.patch(`/organizations/${organizationId}`, {
        settings: { assignment: parts },
      });
      assert.equal(status, 200, text);
    },
    async startWorkers(settings) {
      const stores = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, REDIS_PREFIX: redisPrefix };
      const started = await startWorkersProcess({ ...stores, ...settings });
      workers.push(started);
      return started;
    },
    async locate(located = agentIds) {
      const recordedAt = new Date().toISOString();
      const points = located.map((agentId) => ({
        agentId,
        latitude: 0.001,
        longitude: agentIds.indexOf(agentId) / 1_113,
        recordedAt,
      }));
      await until('all positions are taken', async () => {
        const { body } = await devices.post<{ accepted: number; stale: number }>('/agents/locations', { points });
        return body.data?.accepted + body.data?.stale === points.length;
      });
    },
    ...dispatchersCalls(api),
    async stop() {
      for (const client of [api, admin, devices]) client.close();
      for (const process of workers) await process.kill();
      await system.stop();
    },
  };
}

type DispatchersCalls = Pick<RoundsPlace, 'createTask' | 'requestsOf' | 'cancelOpenTasks' | 'untilOffered'>;

function dispatchersCalls(api: ApiClient): DispatchersCalls {
  const requestsOf = async (taskId: number) => {
    const { body } = await api.get<{ items: AssignmentRequestView[] }>(`/assignment-requests?taskId=${taskId}`);
    return body.data.items;
  };
  return {
    createTask(fields = {}) {
      const location = { address: 'Here', latitude: 0.001, longitude: 0 };
      return api.createTask({ autoAssign: true, location, ...fields });
    },
    requestsOf,
    async cancelOpenTasks() {
      const { items } = (await api.get<{ items: TaskView[] }>(`/tasks?limit=100&status=${OPEN}`)).body.data;
      for (const { id } of items) {
        const { status, text } = await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
        assert.equal(status, 200, text);
      }
    },
    async untilOffered(taskId) {
      let found: AssignmentRequestView | undefined;
      await until(`task ${taskId} is offered`, async () => {
        found = (await requestsOf(taskId)).find(({ status }) => status === 'pending');
        return found !== undefined;
      });
      assert.ok(found);
      return found;
    },
  };
}

/** Many at once, each with a verified user. */
async function seedAgentsOnDuty(sql: Sql, organizationId: number, count: number, vehicle?: object): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    WITH made AS (
      INSERT INTO users (organization_id, id, role, email, first_name, last_name, email_verified_at)
        SELECT ${organizationId}, nextval('user_ids'), 'agent', gen_random_uuid() || '@test.example', 'Amina', 'Diallo', now()
        FROM generate_series(1, ${count}::int)
      RETURNING id)
    INSERT INTO agents (organization_id, id, user_id, agent_type, first_name, last_name, on_duty, vehicle)
      SELECT ${organizationId}, nextval('agent_ids'), id, 'employee', 'Amina', 'Diallo', true,
        ${vehicle ? JSON.stringify(vehicle) : null}::text::json
      FROM made
    RETURNING id`;
  return rows.map(({ id }) => id);
}
