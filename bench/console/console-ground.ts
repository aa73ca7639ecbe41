import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { type Client, createClient } from '../../gateway/client/create-client.ts';
import type { Stand } from '../compare/open-stand.ts';
import { runGenerator } from '../load/run-generator.ts';
import type { LocationOutcome } from '../locations/location-order.ts';
import { pointTroubles } from '../locations/point-troubles.ts';
import { say } from '../report/say.ts';
import { seedAgents } from '../seed/seed-agents.ts';
import { GATEWAY, type ServerProcess, startServerOver } from '../stand/server-process.ts';
import { fillOrganization } from './fill-organization.ts';

const SEED_MS = 60_000;
const BATCH_POINTS = 50;
const POINTS = new URL('../locations/location-generator.ts', import.meta.url);

/** A gateway over an organization with agents and open tasks. */
export interface ConsoleGround {
  readonly server: ServerProcess;
  readonly integration: Client;
  readonly agentIds: readonly number[];
}

export async function openGround(
  name: string,
  { stores }: Stand,
  sizes: { readonly agents: number; readonly tasks: number },
  releaser: Releaser,
  signal: AbortSignal,
): Promise<ConsoleGround> {
  const database = await stores.makeDatabase(`bench_${name}`);
  const agentIds = await seed(database.url, stores.demo.organizationId, sizes.agents);
  const plan = { name, program: GATEWAY, readyPath: '/readyz' };
  const server = await startServerOver(database, plan, stores, releaser, signal);
  const integration = createClient({ baseUrl: server.baseUrl, apiKey: stores.demo.apiKey, signal });
  say(`making ${sizes.tasks} open tasks for ${sizes.agents} agents`);
  await fillOrganization(integration, agentIds, sizes.tasks, signal);
  return { server, integration, agentIds };
}

async function seed(databaseUrl: string, organizationId: number, agents: number): Promise<number[]> {
  const sql = connectPostgres(databaseUrl, { name: 'seed', connections: 1, statementTimeoutMs: SEED_MS });
  try {
    return await seedAgents(sql, organizationId, agents);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Moves agents once a second until `isOver` is aborted. Resolves to why they did not all move; empty when they did. */
export async function moveAgents(
  { server, agentIds }: Pick<ConsoleGround, 'agentIds'> & { readonly server: Pick<ServerProcess, 'baseUrl'> },
  apiKey: string,
  agents: number,
  { isOver, signal }: { readonly isOver: AbortSignal; readonly signal: AbortSignal },
): Promise<string[]> {
  const order = {
    baseUrl: server.baseUrl,
    apiKey,
    agentIds: agentIds.slice(0, agents),
    batchPoints: BATCH_POINTS,
    connections: 10,
    pointsPerSecond: agents,
    warmUpSeconds: 0,
    // It ends before.
    seconds: 86_400,
  };
  try {
    const watch = { signal, endedBy: isOver, onWindow: () => {} };
    const moved = await runGenerator<LocationOutcome>(POINTS, order, watch);
    return pointTroubles(moved).map((trouble) => `moving agents: ${trouble}`);
  } catch (error) {
    return signal.aborted ? [] : [String(error)];
  }
}
