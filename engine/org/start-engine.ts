import type { Answer, Command } from '../../schema/commands.ts';
import type { ListEventsQuery } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ListTasksQuery } from '../../schema/list-tasks.ts';
import type { Clock, Scheduler } from '../runtime/clock.ts';
import { armFaultPoints } from '../runtime/fault-points.ts';
import type { Releaser } from '../runtime/lifecycle.ts';
import type { Log } from '../runtime/log.ts';
import type { RandomSource } from '../runtime/random.ts';
import { type CommitStore, createCommitStore } from '../store/commit-store.ts';
import { createLogStore, type LogPage } from '../store/log-store.ts';
import { checkMigrated } from '../store/migrate.ts';
import { createOrgStore } from '../store/org-store.ts';
import { checkClock, checkDurability, currentHistory, ensurePartitions, isReachable } from '../store/platform-store.ts';
import { connectPostgres } from '../store/postgres.ts';
import { createShardStore } from '../store/shard-store.ts';
import { listTasks, type TaskPage } from '../store/task-list-store.ts';
import { EventFeed } from './event-feed.ts';
import { GroupCommit } from './group-commit.ts';
import { OrgDirectory } from './org-directory.ts';
import { Settler } from './settler.ts';
import { ShardOwnership } from './shard-ownership.ts';

export interface EngineOptions {
  readonly databaseUrl: string;
  readonly gatewayId: string;
  readonly address: string;
  readonly leaseMs: number;
  readonly allowVolatilePostgres: boolean;
  readonly faultPoint: string | undefined;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
  readonly log: Log;
  readonly releaser: Releaser;
  /** Told once when another process has started with this gateway's id; the process should end. */
  readonly onSuperseded?: () => void;
  /** Told after each commit of an organization, so that other processes can be given a hint. */
  readonly onCommitted?: (organizationId: number) => void;
  /** Takes the place of the store that commits; for tests that make it fail and benches that leave it out. */
  readonly wrapCommitStore?: (store: CommitStore) => CommitStore;
}

/** The engine of one process, as the gateway uses it. */
export interface Engine {
  /** Takes shards and begins to serve their organizations; until then every command is refused NOT_OWNER. */
  start(): Promise<void>;
  ask(organizationId: number, command: Command): Promise<Answer>;
  listTasks(organizationId: number, query: ListTasksQuery): Promise<TaskPage>;
  readLog(organizationId: number, query: ListEventsQuery): Promise<LogPage>;
  readonly directory: OrgDirectory;
  readonly ownership: ShardOwnership;
  readonly groupCommit: GroupCommit;
  readonly feed: EventFeed;
  /** The incarnation of the event logs. */
  readonly history: string;
  /** Settings of Postgres that make acknowledged changes volatile; empty unless that was allowed. */
  readonly volatileSettings: readonly string[];
  /** Postgres answers now. */
  isReachable(deadlineMs: number): Promise<boolean>;
}

/**
 * Checks Postgres and puts the engine together; `start` sets it going. Each part pushes its undo on the releaser.
 * Throws ConfigError when Postgres is not durable or its clock is far from ours.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { clock, scheduler, random, log, releaser } = options;
  const { reads, actors, leases, commits } = openStores(options);

  await checkMigrated(actors);
  const volatileSettings = await checkDurability(actors, options.allowVolatilePostgres);
  await checkClock(actors, clock);
  await ensurePartitions(reads);
  // The workers do this too; but writing must not depend on their being there.
  const cancelPartitions = scheduler.every(LIMITS.partitionCheckMs, () => {
    ensurePartitions(reads).catch((error) => log.error({ err: error }, 'partitions could not be made'));
  });
  releaser.push('partition check', cancelPartitions);
  const history = await currentHistory(actors, random);
  const logStore = createLogStore(reads);
  const orgStore = createOrgStore(actors);
  const feed = new EventFeed(history, logStore, scheduler, log);
  releaser.push('event feed', () => feed.stop());

  const { gatewayId, address, leaseMs } = options;
  const incarnation = random.uuid();
  const ownership: ShardOwnership = new ShardOwnership({
    store: createShardStore(leases),
    clock,
    scheduler,
    log,
    gatewayId,
    incarnation,
    address,
    leaseMs,
    onLost: (shards) => directory.lose(shards),
    onSuperseded: () => options.onSuperseded?.(),
  });
  const settler = new Settler(ownership, orgStore, clock, log);
  const fault = armFaultPoints(options.faultPoint);
  const groupCommit = new GroupCommit({ store: commits, ownership, settler, scheduler, random, log, fault });
  const directory: OrgDirectory = new OrgDirectory({
    store: orgStore,
    groupCommit,
    ownership,
    clock,
    scheduler,
    random,
    log,
    history,
    publish(organizationId, events) {
      feed.publish(organizationId, events);
      options.onCommitted?.(organizationId);
    },
  });

  return {
    async start() {
      await ownership.start();
      releaser.push('shards', () => ownership.stop());
      directory.start();
      releaser.push('actors', () => directory.drain());
    },
    directory,
    ownership,
    groupCommit,
    feed,
    history,
    volatileSettings,
    ask: (organizationId, command) => directory.ask(organizationId, command),
    listTasks: (organizationId, query) => listTasks(reads, organizationId, query),
    readLog: (organizationId, query) => logStore.readAfter(organizationId, query.after, query.limit, query.types),
    isReachable: (deadlineMs) => isReachable(reads, deadlineMs),
  };
}

/** Opens the engine and sets it going. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const engine = await openEngine(options);
  await engine.start();
  return engine;
}

/** Connections by what they do, so that no kind of work can starve another. */
function openStores({ databaseUrl, leaseMs, releaser, wrapCommitStore }: EngineOptions) {
  // A stopped owner must not block a takeover: its statements end well before its lease does.
  const statementTimeoutMs = Math.min(Math.floor(leaseMs / 2), LIMITS.fetchDeadlineMs);
  const connect = (name: string, connections: number, timeoutMs: number) => {
    const sql = connectPostgres(databaseUrl, { name, connections, statementTimeoutMs: timeoutMs });
    releaser.push(`postgres (${name})`, () => sql.end({ timeout: 2 }));
    return sql;
  };
  const plain = createCommitStore(databaseUrl, { statementTimeoutMs, deadlineMs: LIMITS.commitDeadlineMs });
  const commits = wrapCommitStore?.(plain) ?? plain;
  releaser.push('commit connection', () => commits.stop());
  return {
    reads: connect('dispatch reads', LIMITS.readConnections, LIMITS.readDeadlineMs),
    actors: connect('dispatch actors', LIMITS.actorConnections, statementTimeoutMs),
    leases: connect('dispatch leases', LIMITS.leaseConnections, statementTimeoutMs),
    commits,
  };
}
