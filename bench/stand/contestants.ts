import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { ContestantName } from '../scenarios/scenario.ts';
import { GATEWAY, type ServerPlan, type ServerProcess, startServer } from './server-process.ts';
import type { TemporaryStores } from './temporary-stores.ts';

/**
 * How commits are counted exactly. `group`: calls of `commit_group` in the database. `transaction`: transaction ids that
 * the whole server gave out, one to each transaction that writes; pg_stat_statements would be of no use, since it misses
 * COMMITs that are prepared.
 */
export type CommitCount = 'group' | 'transaction';

interface ContestantPlan extends ServerPlan {
  readonly name: ContestantName;
  readonly description: string;
  readonly commitsBy: CommitCount;
}

/** A server under the common load, with its words for the report. */
export const SERVERS: readonly ContestantPlan[] = [
  {
    name: 'ours',
    description: 'the gateway',
    program: GATEWAY,
    readyPath: '/readyz',
    commitsBy: 'group',
  },
  {
    name: 'bare',
    description:
      'uWebSockets.js alone: collects the body, parses it as JSON and answers the bytes of one answer of ours',
    program: new URL('../peers/bare-server.ts', import.meta.url),
    readyPath: '/readyz',
    commitsBy: 'group',
  },
  {
    name: 'peer',
    description:
      'Fastify + postgres.js, pool of 10, one transaction a request; numbers events and counts usage in rows of the ' +
      'organization, whose locks put its transactions in line',
    program: new URL('../peers/fastify-peer.ts', import.meta.url),
    readyPath: '/readyz',
    commitsBy: 'transaction',
    environment: { PEER_COUNTING: 'rows' },
  },
  {
    name: 'peer-free',
    description:
      'does less, for an upper bound: no such locks; events numbered by one global sequence, with gaps; usage counted by inserted rows',
    program: new URL('../peers/fastify-peer.ts', import.meta.url),
    readyPath: '/readyz',
    commitsBy: 'transaction',
    environment: { PEER_COUNTING: 'free' },
  },
];

/** The servers that read single tasks. */
export const READERS: readonly ContestantPlan[] = [
  SERVERS[0]!,
  {
    ...SERVERS[1]!,
    description: 'uWebSockets.js alone: takes the id from the path and answers the bytes of one answer of ours',
  },
  {
    name: 'peer',
    description: 'Fastify + postgres.js, pool of 10: each read is one prepared statement',
    program: new URL('../peers/fastify-peer.ts', import.meta.url),
    readyPath: '/readyz',
    commitsBy: 'transaction',
  },
];

/** The servers that take payments. */
export const PAYERS: readonly ContestantPlan[] = [
  SERVERS[0]!,
  {
    name: 'peer',
    description:
      'Fastify + postgres.js, pool of 10, one transaction a request that locks the rows of its task and of the wallet; ' +
      'events numbered by a sequence, what was earned not summed up: no lock that all payments would wait for',
    program: new URL('../peers/fastify-peer.ts', import.meta.url),
    readyPath: '/readyz',
    commitsBy: 'transaction',
    environment: { PEER_COUNTING: 'free' },
  },
];

/** The gateway as it is, and with its guards left out. */
export const GUARDED: readonly ContestantPlan[] = [
  SERVERS[0]!,
  {
    name: 'unguarded',
    description: 'the gateway with authentication, the address of clients and rate limits left out',
    program: new URL('../unguarded.ts', import.meta.url),
    readyPath: '/readyz',
    commitsBy: 'group',
  },
];

/** The gateway three times, each under another load. */
export const WAYS: readonly ContestantPlan[] = (
  [
    ['single', 'POST /tasks'],
    ['keyed', 'POST /tasks, each with an Idempotency-Key never used before'],
    ['batch', 'POST /tasks/batch, every item of which has to be made'],
  ] as const
).map(([name, description]) => ({ name, description, program: GATEWAY, readyPath: '/readyz', commitsBy: 'group' }));

export interface Contestant extends ServerProcess {
  readonly name: ContestantName;
  readonly commitsBy: CommitCount;
}

/** Every server alive, each over a database of its own on the same Postgres; none is under load yet. */
export async function startContestants(
  plans: readonly ContestantPlan[],
  stores: TemporaryStores,
  releaser: Releaser,
  signal: AbortSignal,
): Promise<Contestant[]> {
  const started: Contestant[] = [];
  for (const plan of plans) {
    const { name, commitsBy } = plan;
    started.push({ ...(await startServer(plan, stores, releaser, signal)), name, commitsBy });
  }
  return started;
}
