import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import postgres from 'postgres';
import { LIMITS } from '../../../schema/limits.ts';
import {
  type Child,
  ChildEndedError,
  type Command,
  type StopStep,
  startChild,
  waitUntilReady,
} from '../processes/child-process.ts';
import { onPort, PortTakenError } from '../processes/free-port.ts';
import { LaunchError } from '../processes/launch-error.ts';
import { stopLeftover } from '../processes/leftover-process.ts';
import { findIdentity, type Identity, runAs } from '../processes/run-as.ts';
import { findPostgresPrograms, type PostgresPrograms } from './postgres-package.ts';

export interface EmbeddedPostgresOptions {
  /** A directory for this server alone; made when absent, kept across starts. */
  readonly directory: string;
  /** A free one by default. */
  readonly port?: number;
  /** Added to and overriding the defaults, as on postgres's command line. */
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly onLine?: (line: string) => void;
  /** Calls the start off. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  readonly name: string;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly ended: Promise<string>;
  /** Disconnects clients, writes a checkpoint, ends. */
  stop(): Promise<void>;
  /** Sends kill -9 to the server. */
  kill(): void;
}

const MIB = 2 ** 20;
/** Durability is never traded for speed; the rest fits a small machine that also runs everything else. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: 100,
  shared_buffers: `${sharedBuffersMiB()}MB`,
  max_wal_size: '2GB',
  wal_compression: 'off',
  jit: 'off',
  // New tables grow from nothing: a minute of plans without statistics is long for a first try.
  autovacuum_naptime: '5s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_line_prefix: '',
};
/**
 * The C library gives large blocks back to the system with every commit, and asks for them again with the next: one
 * twentieth of a backend's time under load. This much each backend keeps.
 */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: `${16 * 2 ** 20}`, MALLOC_TRIM_THRESHOLD_: `${64 * 2 ** 20}` };
const USER = 'postgres';

/** Stop fast, then immediately, and then give up. */
const STOP_STEPS: readonly StopStep[] = [
  { signal: 'SIGINT', patienceMs: 10_000 },
  { signal: 'SIGQUIT', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
];

/**
 * Starts the Postgres of the npm package on 127.0.0.1, making its database cluster at the first start, and resolves
 * when it answers queries. A server left over in `directory` is stopped first. As root it runs as another user.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const directory = resolve(options.directory);
  const say = options.onLine ?? (() => {});
  const programs = findPostgresPrograms();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const identity = findIdentity(directory);
  if (identity) chownSync(directory, identity.uid, identity.gid);
  const home: Home = { directory, data: join(directory, 'data'), programs, identity };

  if (existsSync(join(home.data, 'PG_VERSION'))) {
    const leftover = await stopLeftover(join(home.data, 'postmaster.pid'), home.data, STOP_STEPS);
    if (leftover) say(`stopped a Postgres that an earlier start left behind (process ${leftover})`);
  } else {
    await initialize(home, say);
  }
  const password = readFileSync(passwordFile(home), 'utf8');
  return onPort(options.port, async (port) => {
    const url = `postgres://${USER}:${password}@127.0.0.1:${port}/${USER}`;
    const child = await startServer(home, port, options.settings ?? {}, say);
    try {
      await waitUntilReady(child, () => answers(url), LIMITS.storeStartMs, options.signal);
    } catch (error) {
      await child.stop();
      if (error instanceof ChildEndedError && isPassing(error)) throw new PortTakenError(error.message);
      throw error;
    }
    return { name: 'postgres', url, port, pid: child.pid, ended: child.ended, stop: child.stop, kill: child.kill };
  });
}

interface Home {
  readonly directory: string;
  readonly data: string;
  readonly programs: PostgresPrograms;
  readonly identity: Identity | undefined;
}

const passwordFile = (home: Home) => join(home.directory, 'password');

/**
 * An eighth of the memory of the machine, or of its container, for pages of tables. Postgres takes it as data come in, and
 * what is in it need not be copied from the system again: pages of a million tasks cost Postgres a ninth less with 2 GiB than with 256 MiB.
 */
function sharedBuffersMiB(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(Math.max(Math.floor(memory / 8 / MIB), 128), 2_048);
}

/** Makes the cluster beside its place and moves it there at the end: interrupted, it starts over. */
async function initialize(home: Home, onLine: (line: string) => void): Promise<void> {
  const unfinished = `${home.data}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(passwordFile(home), randomBytes(24).toString('hex'), { mode: 0o600 });
  if (home.identity) chownSync(passwordFile(home), home.identity.uid, home.identity.gid);
  const args = ['--pgdata', unfinished, '--username', USER, '--pwfile', passwordFile(home), '--auth', 'scram-sha-256'];
  args.push('--encoding', 'UTF8', '--locale', 'C', '--no-instructions');
  onLine('making a new database cluster');
  const child = await startChild('initdb', asOwner(home, home.programs.initdb, args, 'KILL'), {
    cwd: home.directory,
    onLine: () => {},
    stopSteps: STOP_STEPS,
  });
  const how = await child.ended;
  if (how !== 'exited with code 0') throw new LaunchError(`initdb ${how}:\n${child.lastLines()}`);
  renameSync(unfinished, home.data);
}

async function startServer(
  home: Home,
  port: number,
  settings: Readonly<Record<string, string | number>>,
  onLine: (line: string) => void,
): Promise<Child> {
  const args = ['-D', home.data, '-p', String(port)];
  for (const [name, value] of Object.entries({ ...SETTINGS, ...settings })) args.push('-c', `${name}=${value}`);
  return startChild('postgres', asOwner(home, home.programs.postgres, args, 'INT'), {
    cwd: home.directory,
    env: { ...ALLOCATOR, ...process.env },
    onLine,
    stopSteps: STOP_STEPS,
  });
}

function asOwner(
  { identity, programs, directory }: Home,
  file: string,
  args: string[],
  deathSignal: 'INT' | 'KILL',
): Command {
  return runAs({ file, args }, { identity, deathSignal, reaches: [programs.postgres, directory] });
}

/** Both pass: another process took the port, or backends of a killed server have not yet noticed its end. */
function isPassing(error: ChildEndedError): boolean {
  return /could not bind|pre-existing shared memory block/.test(error.message);
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {}, backoff: () => 0 });
  try {
    await sql`SELECT 1`;
    return true;
  } catch (error) {
    // "Starting up" and a closed port pass; anything else, such as a wrong password, does not.
    const code = (error as { code?: string }).code;
    if (code === '57P03' || /ECONN|CONNECT|CONNECTION/.test(code ?? '')) return false;
    throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
