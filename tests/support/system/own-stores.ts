import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../engine/launcher/stores/embedded-postgres.ts';
import { type LocalRedis, startLocalRedis } from '../../../engine/launcher/stores/local-redis.ts';
import type { Releaser } from '../../../engine/runtime/lifecycle.ts';
import { reservePort } from './reserve-port.ts';

const STOP_MS = 30_000;
const POSTGRES_SETTINGS = { shared_buffers: '64MB' };

/** A Redis that a test may empty, kill and start again at the same address; empty after each start. */
export interface OwnRedis {
  readonly url: string;
  /** The process id of the server that runs now. */
  readonly pid: number;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function startOwnRedis(releaser: Releaser): Promise<OwnRedis> {
  const directory = temporaryFolder(releaser, 'dispatch-redis-');
  const port = await reservePort();
  const start = () => startLocalRedis({ directory, persistence: 'none', port });
  let server: LocalRedis = await start();
  releaser.push('redis', () => server.stop(), STOP_MS);
  return {
    url: server.url,
    get pid() {
      return server.pid;
    },
    async kill() {
      server.kill();
      await server.ended;
    },
    async start() {
      server = await start();
    },
  };
}

/** A Postgres that a test may kill, start again at the same address, or freeze; it keeps its data. */
export interface OwnPostgres {
  readonly url: string;
  /** The process id of the server that runs now, the parent of all its processes. */
  readonly pid: number;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function startOwnPostgres(releaser: Releaser): Promise<OwnPostgres> {
  const directory = join(temporaryFolder(releaser, 'dispatch-postgres-'), 'postgres');
  const port = await reservePort();
  const start = () => startEmbeddedPostgres({ directory, port, settings: POSTGRES_SETTINGS });
  let server: EmbeddedPostgres = await start();
  releaser.push('postgres', () => server.stop(), STOP_MS);
  return {
    url: server.url,
    get pid() {
      return server.pid;
    },
    async kill() {
      server.kill();
      await server.ended;
    },
    async start() {
      server = await start();
    },
  };
}

function temporaryFolder(releaser: Releaser, prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  releaser.push('data', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  // Postgres runs as another user when we are root, and must reach its data.
  chmodSync(directory, 0o755);
  return directory;
}
