import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeDemoFacts } from '../../../../engine/launcher/demo-facts.ts';
import { type DemoOrganization, ensureDemoOrganization } from '../../../../engine/launcher/demo-organization.ts';
import { createReleaser } from '../../../../engine/runtime/lifecycle.ts';
import type { TaskView } from '../../../../schema/tasks/task-view.ts';
import { type CuttableProxy, startCuttableProxy } from '../../../browser/console/cuttable-proxy.ts';
import { startWorkersProcess } from '../../../integration/workers/workers-place.ts';
import { type ApiClient, createApiClient } from '../../../support/api-client.ts';
import { RUN_VARIABLE } from '../../../support/runner/leftover-processes.ts';
import { SECRETS } from '../../../support/secrets.ts';
import { createTestPlace, startTestGateway } from '../../../support/system/gateway.ts';
import { until } from '../../../support/until.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
export const FAILED = { status: 'completed', outcome: 'failed', failureReason: 'Nobody at home' };
export const EN_ROUTE = [{ status: 'accepted' }, { status: 'in_transit' }] as const;
/** In the city of the fleet. */
export const BERLIN = { latitude: 52.52, longitude: 13.405 };
/** The simulator drives the first couriers of the demo; the others are the test's own. */
const SIMULATED = 6;

/** A demo organization at work: the simulator's fleet, and four couriers who do what the test says. */
export interface DayPlace {
  readonly demo: DemoOrganization;
  /** The network between the browser and the gateway. */
  readonly network: CuttableProxy;
  /** The dispatcher's client, past that network. */
  readonly api: ApiClient;
  readonly admin: ApiClient;
  readonly couriers: readonly { readonly id: number; readonly name: string; readonly api: ApiClient }[];
  /** Stops the fleet where it is, so that the screen and the API can be compared; `goOn` lets it go on. */
  holdFleet(): void;
  goOn(): void;
  stop(): Promise<void>;
}

export async function startDayPlace(): Promise<DayPlace> {
  const releaser = createReleaser(() => {});
  try {
    return await build(releaser);
  } catch (error) {
    await releaser.stop().catch(() => {});
    throw error;
  }
}

async function build(releaser: ReturnType<typeof createReleaser>): Promise<DayPlace> {
  const place = await createTestPlace();
  releaser.push('database', () => place.drop());
  const found = await ensureDemoOrganization(place.databaseUrl, { baseUrl: '' });
  const environment = { WEBHOOK_ALLOW_PRIVATE: '1' };
  const gateway = await startTestGateway({ place, environment, process: true });
  releaser.push('gateway', () => gateway.stop());
  const demo = { ...found, baseUrl: gateway.baseUrl };
  const { databaseUrl, redisUrl, redisPrefix } = place;
  const stores = { ...SECRETS, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, REDIS_PREFIX: redisPrefix };
  const workers = await startWorkersProcess({ ...stores, ...environment });
  releaser.push('workers', async () => void (await workers.stop()));
  const network = await startCuttableProxy(gateway.baseUrl);
  releaser.push('network', async () => network.close());

  const clientOf = async (login: { readonly email: string; readonly password: string }) => {
    const reply = await fetch(`${gateway.baseUrl}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: login.email, password: login.password }),
    });
    const { data } = (await reply.json()) as { data: { accessToken: string } };
    const client = createApiClient({ baseUrl: gateway.baseUrl, key: data.accessToken });
    releaser.push('client', async () => client.close());
    return client;
  };
  const api = await clientOf(demo.dispatcher);
  const admin = await clientOf(demo.orgAdmin);
  const couriers = [];
  for (const agent of demo.agents.slice(SIMULATED)) {
    const { user } = (await api.get<{ user: { firstName: string; lastName: string } }>(`/agents/${agent.id}`)).body
      .data;
    couriers.push({ id: agent.id, name: `${user.firstName} ${user.lastName}`, api: await clientOf(agent) });
  }
  const fleet = startFleet(demo, databaseUrl, releaser);
  return { demo, network, api, admin, couriers, ...fleet, stop: () => releaser.stop() };
}

function startFleet(demo: DemoOrganization, databaseUrl: string, releaser: ReturnType<typeof createReleaser>) {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-day-'));
  writeDemoFacts(join(directory, 'demo.json'), demo);
  const options = `--agents ${SIMULATED} --rate 2 --scenario lunch-rush --tasks-per-minute 6 --speed 10 --seed 7 --json`;
  const fleet = spawn(process.execPath, ['--import', 'tsx', 'bench/simulate.ts', ...options.split(' ')], {
    cwd: ROOT,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: directory,
      DATABASE_URL: databaseUrl,
      [RUN_VARIABLE]: process.env[RUN_VARIABLE],
    },
  });
  const ended = once(fleet, 'close');
  releaser.push('fleet', async () => {
    fleet.kill('SIGCONT');
    fleet.kill('SIGINT');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
  return { holdFleet: () => void fleet.kill('SIGSTOP'), goOn: () => void fleet.kill('SIGCONT') };
}

let customers = 0;

/** A name and a number that no other task of the day has. */
export function customerOf(what: string) {
  customers += 1;
  return { name: `${what} ${customers}`, phone: `+44207946${String(customers).padStart(4, '0')}` };
}

export async function setDuty({ api }: DayPlace, agentId: number, onDuty: boolean): Promise<void> {
  assert.equal((await api.put(`/agents/${agentId}/duty`, { onDuty })).status, 200);
}

/** A position of a courier who was there so many seconds ago. */
export async function report(courier: DayPlace['couriers'][number], secondsAgo: number): Promise<void> {
  const recordedAt = new Date(Date.now() - secondsAgo * 1_000).toISOString();
  const reply = await courier.api.post('/agents/me/locations', { points: [{ ...BERLIN, recordedAt }] });
  assert.ok(reply.status < 300, reply.text);
}

/** Changes the status of a task as its courier would. */
export async function step({ api }: DayPlace, taskId: number, ...steps: readonly object[]): Promise<void> {
  for (const body of steps) {
    const reply = await api.put(`/tasks/${taskId}/status`, body);
    assert.equal(reply.status, 200, reply.text);
  }
}

/** Brings a task to a status with a courier of the test. */
export async function bring(
  place: DayPlace,
  task: TaskView,
  agentId: number,
  ...steps: readonly object[]
): Promise<void> {
  const assigned = await place.api.post(`/tasks/${task.id}/assign`, { agentId });
  assert.equal(assigned.status, 200, assigned.text);
  await step(place, task.id, ...steps);
}

export async function read({ api }: DayPlace, taskId: number): Promise<TaskView> {
  return (await api.get(`/tasks/${taskId}`)).body.data;
}

export function untilTask(
  place: DayPlace,
  taskId: number,
  what: string,
  isSo: (task: TaskView) => boolean,
): Promise<void> {
  return until(what, async () => isSo(await read(place, taskId)));
}
