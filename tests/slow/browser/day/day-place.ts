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
/** The simulator drives the first couriers of the demo; the others are the test's own. */
const SIMULATED = 7;

/** A demo organization at work: the simulator's fleet, and three couriers who do what the test says. */
export interface DayPlace {
  readonly demo: DemoOrganization;
  /** The network between the browser and the gateway. */
  readonly network: CuttableProxy;
  /** Of the dispatcher, past that network. */
  readonly api: ApiClient;
  readonly couriers: readonly { readonly id: number; readonly name: string; readonly api: ApiClient }[];
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
  const couriers = [];
  for (const agent of demo.agents.slice(SIMULATED)) {
    const { user } = (await api.get<{ user: { firstName: string; lastName: string } }>(`/agents/${agent.id}`)).body
      .data;
    couriers.push({ id: agent.id, name: `${user.firstName} ${user.lastName}`, api: await clientOf(agent) });
  }
  startFleet(demo, databaseUrl, releaser);
  return { demo, network, api, couriers, stop: () => releaser.stop() };
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
    fleet.kill('SIGINT');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
}

/** Brings a task to a status with a courier of the test. */
export async function bring(
  { api }: DayPlace,
  task: TaskView,
  agentId: number,
  ...steps: readonly object[]
): Promise<void> {
  const assigned = await api.post(`/tasks/${task.id}/assign`, { agentId });
  assert.equal(assigned.status, 200, assigned.text);
  for (const step of steps) {
    const reply = await api.put(`/tasks/${task.id}/status`, step);
    assert.equal(reply.status, 200, reply.text);
  }
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
