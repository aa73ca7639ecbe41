import type { Answer, Command } from '../../schema/commands.ts';
import type { ListEventsQuery } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ExportTasksQuery, ListTasksQuery } from '../../schema/tasks/list-tasks.ts';
import type { HintKind } from '../bus/commit-hints.ts';
import { type Actor, onlyAgentOf } from '../domain/tasks/task-machine.ts';
import type { WaySource } from '../domain/travel/known-ways.ts';
import type { Positions } from '../positions/positions.ts';
import type { TrailBuffer } from '../positions/trail-buffer.ts';
import type { Clock, Scheduler } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import { armFaultPoints } from '../runtime/fault-points.ts';
import type { Releaser } from '../runtime/lifecycle.ts';
import type { Log } from '../runtime/log.ts';
import type { RandomSource } from '../runtime/random.ts';
import type { SecretBox } from '../runtime/secret-box.ts';
import { shardOf } from '../runtime/shard-of.ts';
import { createOrgStore, forActors } from '../store/actor/actor-store.ts';
import { type CommitStore, createCommitStore } from '../store/actor/commit-store.ts';
import { readInternalSecret } from '../store/cluster/owner-store.ts';
import {
  checkClock,
  checkDurability,
  checkHistory,
  currentHistory,
  ensurePartitions,
  isReachable,
} from '../store/cluster/platform-store.ts';
import { createShardStore } from '../store/cluster/shard-store.ts';
import { type HistoryWatchOptions, watchHistory } from '../store/cluster/watch-history.ts';
import { createLogStore } from '../store/log/event-log-store.ts';
import { checkMigrated } from '../store/migrate.ts';
import type { PositionStore } from '../store/positions/position-store.ts';
import { connectPostgres, type Sql } from '../store/postgres.ts';
import { openSecretBox } from '../store/secrets/secret-key-store.ts';
import type { ExportSink } from '../store/task-lists/task-list-export.ts';
import { forPages, type InTurn } from '../store/task-lists/task-list-store.ts';
import { refuseUnusable } from '../store/unusable-database.ts';
import { ActivityCounts } from './activity-counts.ts';
import { OrgDirectory } from './actor/org-directory.ts';
import type { OrgBatch } from './apply/org-batch.ts';
import type { CommitCounts } from './commit/commit-counts.ts';
import { GroupCommit } from './commit/group-commit.ts';
import { Settler } from './commit/settler.ts';
import { ShardOwnership } from './commit/shard-ownership.ts';
import { EventFeed, type FeedBus } from './feed/event-feed.ts';
import { type FoundEvents, LogSearch } from './feed/log-search.ts';
import { hintsOf } from './hints-of.ts';
import { FilterCounts } from './lists/filter-counts.ts';
import { type TaskList, TaskLists } from './lists/task-lists.ts';
import { TaskTexts } from './lists/task-texts.ts';
import { openPositions } from './open-positions.ts';
import type { MemoryBounds } from './state/memory-bounds.ts';

export interface EngineOptions {
  readonly databaseUrl: string;
  readonly gatewayId: string;
  readonly leaseMs: number;
  readonly allowVolatilePostgres: boolean;
  readonly faultPoint: string | undefined;
  /** The keys of SECRETS_KEY. */
  readonly secretsKeys: Config['secretsKeys'];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
  readonly log: Log;
  readonly releaser: Releaser;
  /** Told once when another process has started with this gateway's id, or the logs have another history: the process should end. */
  readonly onSuperseded?: () => void;
  /**
   * Told after each commit of an organization what it may be news of, so that other processes can be given hints.
   */
  readonly onCommitted?: (organizationId: number, kinds: readonly HintKind[]) => void;
  /** How committed events go to other processes and come from them, by the incarnation of the logs; without it they do not. */
  readonly openEventBus?: (history: string) => FeedBus;
  /** Where positions are kept between processes, by the incarnation of the logs; without it they are not. */
  readonly openPositionStore?: (history: string) => PositionStore;
  /** The ways by which ETAs are predicted; without it they are straight lines. */
  readonly travel?: WaySource;
  readonly memory: MemoryBounds;
  /** Lets organizations take turns with lists that may take long; without it they do not. */
  readonly listsInTurn?: InTurn;
  /** The same for callers that read the log. */
  readonly logInTurn?: InTurn;
  /** Takes the place of the store that commits; for tests that make it fail and benches that leave it out. */
  readonly wrapCommitStore?: (store: CommitStore) => CommitStore;
}

export interface EngineCounts {
  /** Organizations in memory. */
  readonly liveActors: number;
  /** Shards that this process may write. */
  readonly shardsOwned: number;
  /** Groups of commits on their way to Postgres. */
  readonly commitsOnTheirWay: number;
}

export interface EngineParts {
  readonly directory: OrgDirectory;
  readonly ownership: ShardOwnership;
  readonly groupCommit: GroupCommit;
}

/** The engine of one process, as the gateway uses it. */
export interface Engine {
  /**
   * Takes shards and begins to serve their organizations; until then every command is refused NOT_OWNER. `address`:
   * where this process takes commands of others, `host:port`.
   */
  start(address: string): Promise<void>;
  ask(organizationId: number, command: Command): Promise<Answer>;
  /** As the caller may see it: agents see their own tasks only. */
  listTasks(organizationId: number, query: ListTasksQuery, caller: Actor): Promise<TaskList>;
  /** As the caller may see it; see TaskLists.export. */
  exportTasks(
    organizationId: number,
    query: ExportTasksQuery,
    caller: Actor,
    sink: ExportSink,
  ): Promise<void> | undefined;
  /** See LogSearch.read. */
  readLog(organizationId: number, query: ListEventsQuery): Promise<FoundEvents>;
  counts(): EngineCounts;
  readonly commits: CommitCounts;
  readonly activity: ActivityCounts;
  /** Identifies this start of the process among the owners of shards. */
  readonly incarnation: string;
  /** Whether Postgres answers now. */
  isReachable(deadlineMs: number): Promise<boolean>;
  /** For tests that look into the engine. */
  readonly parts: EngineParts;
  readonly feed: EventFeed;
  readonly positions: Positions;
  /** Whether an organization's positions are this process's to take; also while Postgres is away. */
  holdsPositionsOf(organizationId: number): boolean;
  readonly trail: Pick<TrailBuffer, 'buffered' | 'written' | 'dropped'>;
  /** The incarnation of the event logs. */
  readonly history: string;
  /** By which the processes of the system know each other. */
  readonly internalSecret: string;
  /** For the secrets of this database. */
  readonly secretBox: SecretBox;
  /** Settings of Postgres that make acknowledged changes volatile; empty unless that was allowed. */
  readonly volatileSettings: readonly string[];
}

/**
 * Checks Postgres and puts the engine together; `start` sets it going. Each part pushes its undo on the releaser.
 * Throws ConfigError when Postgres does not let us in, is not durable, its clock is far from ours, or its secrets are under
 * another key.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { clock, scheduler, random, log, releaser } = options;
  const shared = { clock, scheduler, random, log };
  const stores = openStores(options);
  const { reads, actors, leases, commits } = stores;
  const found = await examinePostgres(options, actors, reads).catch(refuseUnusable);
  const { history } = found;
  const [logStore, orgStore] = [createLogStore(reads), createOrgStore(actors)];

  const { gatewayId, leaseMs } = options;
  const onSuperseded = onFirst(() => options.onSuperseded?.());
  const fault = armFaultPoints(options.faultPoint);
  const ownership: ShardOwnership = new ShardOwnership({
    ...shared,
    store: createShardStore(leases),
    fault,
    gatewayId,
    incarnation: random.uuid(),
    leaseMs,
    onLost: (shards) => {
      directory.lose(shards);
      onMoved(shards);
    },
    onGained: (shards) => onMoved(shards),
    onSuperseded,
  });
  const settler = new Settler(ownership, orgStore, clock, log);
  const groupCommit = new GroupCommit({ ...shared, store: commits, ownership, settler, fault });
  const activity = new ActivityCounts(clock);
  const counts = new FilterCounts(scheduler);
  const isOwned = (organizationId: number) => ownership.standingOf(shardOf(organizationId)) === 'owned';
  const bus = options.openEventBus?.(history);
  const feed = new EventFeed({ ...shared, history, store: logStore, bus, isOwned });
  releaser.push('event feed', () => feed.stop());
  const lists = openLists(options, stores, counts, isOwned);
  const ask: Engine['ask'] = (organizationId, command) => directory.ask(organizationId, command);
  const { positions, trail, onChanged, onMoved } = openPositions(options, history, reads, ask);
  const directory: OrgDirectory = new OrgDirectory({
    ...shared,
    store: orgStore,
    groupCommit,
    ownership,
    history,
    memory: options.memory,
    onChanged,
    onMissed: (isConcerned) => counts.forgetSearches(isConcerned),
    publish: (batch) => publish(batch, options, { activity, feed, counts }),
  });

  const parts: EngineParts = { directory, ownership, groupCommit };
  return {
    start: (address) => startServing(parts, options, address, { sql: leases, history, onOther: onSuperseded }),
    counts: () => countsOf(parts),
    commits: groupCommit.counts,
    activity,
    incarnation: ownership.incarnation,
    // Where no statement takes long: a slow read must not make Postgres seem away.
    isReachable: (deadlineMs) => isReachable(leases, deadlineMs),
    parts,
    feed,
    positions,
    holdsPositionsOf: (organizationId) => ownership.holds(shardOf(organizationId)),
    trail,
    ...found,
    ask,
    listTasks: (organizationId, query, caller) => lists.list(organizationId, query, onlyAgentOf(caller)),
    exportTasks: (id, query, caller, sink) => lists.export(id, query, onlyAgentOf(caller), sink),
    readLog: openLog(options, stores),
  };
}

/** Tells the parts of this process, and others by hints, of a committed batch. */
function publish(
  batch: OrgBatch,
  { onCommitted }: EngineOptions,
  {
    activity,
    feed,
    counts,
  }: { readonly activity: ActivityCounts; readonly feed: EventFeed; readonly counts: FilterCounts },
): void {
  const { organizationId, events, taskChanges, expectedSequence, lastSequence, blursTextSearches } = batch;
  activity.committed(batch);
  if (events.length > 0) feed.publish(organizationId, events);
  counts.committed(organizationId, expectedSequence, lastSequence, taskChanges, blursTextSearches);
  onCommitted?.(organizationId, hintsOf(batch));
}

function countsOf({ directory, ownership, groupCommit }: EngineParts): EngineCounts {
  const { liveActors } = directory;
  const commitsOnTheirWay = groupCommit.groups - groupCommit.counts.total;
  return { liveActors, shardsOwned: ownership.ownedCount, commitsOnTheirWay };
}

/** Opens the engine and sets it going. */
export async function startEngine(options: EngineOptions & { readonly address: string }): Promise<Engine> {
  const engine = await openEngine(options);
  await engine.start(options.address);
  return engine;
}

function onFirst(act: () => void): () => void {
  let isFirst = true;
  return () => {
    if (isFirst) act();
    isFirst = false;
  };
}

/** Takes shards, and decides what is asked of their organizations. The history is asked for once others can see this process. */
async function startServing(
  { ownership, directory }: EngineParts,
  { random, scheduler, log, releaser }: EngineOptions,
  address: string,
  known: Pick<HistoryWatchOptions, 'sql' | 'history' | 'onOther'>,
): Promise<void> {
  await ownership.start(address);
  releaser.push('shards', () => ownership.stop());
  await checkHistory(known.sql, random, known.history);
  releaser.push('history', watchHistory({ ...known, random, scheduler, log }));
  directory.start();
  releaser.push('actors', () => directory.drain());
}

/** Whether this Postgres will do, the incarnation of its logs, and the secrets of the processes that work with it. */
async function examinePostgres(options: EngineOptions, actors: Sql, reads: Sql) {
  await checkMigrated(actors);
  const volatileSettings = await checkDurability(actors, options.allowVolatilePostgres);
  await checkClock(actors, options.clock);
  await keepPartitions(options, reads);
  const history = await currentHistory(actors, options.random);
  const secretBox = await openSecretBox(actors, options);
  return { volatileSettings, history, secretBox, internalSecret: await readInternalSecret(actors, secretBox) };
}

/** The workers do this too; but writing must not depend on their being there. */
async function keepPartitions({ scheduler, log, releaser }: EngineOptions, sql: Sql): Promise<void> {
  await ensurePartitions(sql);
  const cancel = scheduler.every(LIMITS.partitionCheckMs, () => {
    ensurePartitions(sql).catch((error) => log.error({ err: error }, 'partitions could not be made'));
  });
  releaser.push('partition check', cancel);
}

function openLog(
  { logInTurn: inTurn, clock }: EngineOptions,
  { log: sql }: Readonly<Record<'log', Sql>>,
): Engine['readLog'] {
  const search = new LogSearch({ store: createLogStore(sql), inTurn, clock });
  return (organizationId, query) => search.read(organizationId, query);
}

function openLists(
  options: EngineOptions,
  { lists: planned, pages: prepared, exports }: Readonly<Record<'lists' | 'pages' | 'exports', Sql>>,
  counts: FilterCounts,
  isOwned: (organizationId: number) => boolean,
): TaskLists {
  const pages = { prepared, planned, inTurn: options.listsInTurn };
  return new TaskLists({ pages, exports, counts, texts: openTexts(options), isOwned, log: options.log });
}

/** The texts of pages, which leave memory when nobody asks for them. */
function openTexts({ memory, scheduler, releaser }: EngineOptions): TaskTexts {
  const texts = new TaskTexts(memory.listedBytes);
  const cancel = scheduler.every(LIMITS.unusedTextsMs, () => texts.sweep());
  releaser.push('texts of pages', cancel);
  return texts;
}

/** Connections by what they do, so that no kind of work can starve another. */
function openStores({ databaseUrl, leaseMs, releaser, wrapCommitStore }: EngineOptions) {
  // A stopped owner must not block a takeover: its statements end before its lease does, which was renewed a ninth of it
  // before at the earliest.
  const statementTimeoutMs = Math.min(Math.floor((leaseMs * 2) / 3), LIMITS.fetchDeadlineMs);
  const connect = (name: string, connections: number, timeoutMs: number, url = databaseUrl) => {
    const sql = connectPostgres(url, { name, connections, statementTimeoutMs: timeoutMs });
    releaser.push(`postgres (${name})`, () => sql.end({ timeout: 2 }));
    return sql;
  };
  const plain = createCommitStore(databaseUrl, { statementTimeoutMs, deadlineMs: LIMITS.commitDeadlineMs });
  const commits = wrapCommitStore?.(plain) ?? plain;
  releaser.push('commit connection', () => commits.stop());
  return {
    reads: connect('dispatch reads', LIMITS.readConnections, LIMITS.readDeadlineMs),
    log: connect('dispatch log', LIMITS.logConnections, LIMITS.readDeadlineMs),
    lists: connect('dispatch lists', LIMITS.listConnections, LIMITS.readDeadlineMs),
    pages: connect('dispatch pages', LIMITS.pageConnections, LIMITS.readDeadlineMs, forPages(databaseUrl)),
    exports: connect('dispatch exports', LIMITS.exports, LIMITS.exportDeadlineMs),
    actors: connect('dispatch actors', LIMITS.actorConnections, statementTimeoutMs, forActors(databaseUrl)),
    leases: connect('dispatch leases', LIMITS.leaseConnections, statementTimeoutMs),
    commits,
  };
}
