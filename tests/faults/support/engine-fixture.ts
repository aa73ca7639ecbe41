import * as v from 'valibot';
import { type Engine, type EngineOptions, startEngine } from '../../../engine/org/start-engine.ts';
import { type Clock, type Scheduler, systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRandomSource, type RandomSource } from '../../../engine/runtime/random.ts';
import type { Answer, Caller, Command } from '../../../schema/commands.ts';
import { ERRORS } from '../../../schema/errors.ts';
import { idempotencyKey } from '../../../schema/fields/idempotency-key.ts';
import { createTaskSchema } from '../../../schema/tasks/create-task.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { refusedOutcome } from '../../support/journal.ts';
import { secretsKeys } from '../../support/secrets.ts';
import { type SeededOrganization, seedOrganization } from '../../support/seeds/seed.ts';
import { startTcpProxy, type TcpProxy } from '../../support/services/tcp-proxy.ts';
import { createMigratedDatabase, randomName } from '../../support/stores.ts';
import { createBody, type Send } from './journaled-load.ts';

export interface EngineFixtureOptions {
  readonly organizations?: number;
  readonly wrapCommitStore?: EngineOptions['wrapCommitStore'];
  readonly leaseMs?: number;
  readonly random?: RandomSource;
  readonly memory?: EngineOptions['memory'];
  readonly scheduler?: Scheduler;
}

/** An engine in this process whose connections all go through a proxy, and organizations for its commands. */
export interface EngineFixture {
  readonly engine: Engine;
  /** A connection that does not use the proxy. */
  readonly databaseUrl: string;
  readonly proxy: TcpProxy;
  readonly organizations: readonly SeededOrganization[];
  readonly organizationIds: readonly number[];
  readonly send: Send;
  stop(): Promise<void>;
}

export async function startEngineFixture(options: EngineFixtureOptions = {}): Promise<EngineFixture> {
  const releaser = createReleaser(() => {});
  try {
    const database = await createMigratedDatabase();
    releaser.push('database', () => database.drop());
    const organizations: SeededOrganization[] = [];
    for (let i = 0; i < (options.organizations ?? 3); i++) organizations.push(await seedOrganization(database.url));
    const proxy = await startTcpProxy(database.url);
    releaser.push('proxy', () => proxy.stop());
    const engine = await openTestEngine(proxy.url, { ...options, releaser });
    return {
      engine,
      databaseUrl: database.url,
      proxy,
      organizations,
      organizationIds: organizations.map(({ organizationId }) => organizationId),
      send: sendToEngine(engine, organizations),
      stop: () => releaser.stop(),
    };
  } catch (error) {
    await releaser.stop().catch(() => {});
    throw error;
  }
}

/** Nothing leaves memory. */
export const ROOMY = { tasks: 1_000_000, shownChars: 64 * 1_048_576, listedBytes: 1_048_576 };

export function openTestEngine(
  databaseUrl: string,
  options: Pick<EngineOptions, 'releaser'> &
    Pick<EngineFixtureOptions, 'wrapCommitStore' | 'leaseMs' | 'random' | 'memory' | 'scheduler'> & {
      clock?: Clock;
      faultPoint?: string;
    },
): Promise<Engine> {
  const { releaser, wrapCommitStore, leaseMs = 10_000, random = createRandomSource() } = options;
  const { clock = systemClock, scheduler = systemScheduler, faultPoint, memory = ROOMY } = options;
  return startEngine({
    databaseUrl,
    gatewayId: randomName('engine'),
    address: '127.0.0.1:0',
    leaseMs,
    memory,
    allowVolatilePostgres: false,
    faultPoint,
    secretsKeys,
    clock,
    scheduler,
    random,
    log: createLog('engine', process.env['TEST_LOG_LEVEL'] ?? 'silent'),
    releaser,
    ...(wrapCommitStore ? { wrapCommitStore } : {}),
  });
}

/** The scope of the keys of these commands. */
export const SCOPE = 'test';

export function createCommand(key: string, caller: Caller): Command {
  const input = v.parse(createTaskSchema(), createBody(key));
  return { kind: 'create-task', caller, input, idempotency: idempotencyKey(SCOPE, key, key) };
}

export function cancelCommand(taskId: number, key: string, caller: Caller): Command {
  const input = { status: 'cancelled' } as const;
  return { kind: 'change-task-status', caller, taskId, input, idempotency: idempotencyKey(SCOPE, key, key) };
}

export function callerOf({ channelId }: SeededOrganization): Caller {
  return { type: 'channel', id: channelId, channelId, role: 'integration', agentId: null };
}

/** Asks the engine as the gateway does. */
function sendToEngine(engine: Engine, organizations: readonly SeededOrganization[]): Send {
  const callers = new Map(organizations.map((organization) => [organization.organizationId, callerOf(organization)]));
  return async ({ key, organizationId, kind, taskId }) => {
    const caller = callers.get(organizationId)!;
    if (kind !== 'create' && kind !== 'cancel') throw new Error(`a ${kind} goes over HTTP`);
    const command = kind === 'create' ? createCommand(key, caller) : cancelCommand(taskId!, key, caller);
    const answer = await engine.ask(organizationId, command);
    if (!answer.ok) return refusedOutcome(statusOf(answer), answer.refusal.code);
    const { id } = JSON.parse(answer.data) as TaskView;
    return { kind: 'acknowledged', taskId: id, sequence: answer.sequence, data: answer.data };
  };
}

export function statusOf(answer: Answer): number {
  return answer.ok ? answer.status : ERRORS[answer.refusal.code].status;
}
