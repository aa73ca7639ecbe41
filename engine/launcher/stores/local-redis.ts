import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import { LIMITS } from '../../../schema/limits.ts';
import { type Child, ChildEndedError, type StopStep, startChild, waitUntilReady } from '../processes/child-process.ts';
import { onPort, PortTakenError } from '../processes/free-port.ts';
import { stopLeftover } from '../processes/leftover-process.ts';
import { writePrivateFile } from '../processes/private-file.ts';
import { runAs } from '../processes/run-as.ts';
import { getRedisProgram } from './redis-program.ts';

export interface LocalRedisOptions {
  /** A directory for this server alone; made when absent. */
  readonly directory: string;
  /** `everysec` keeps the data across starts and loses at most a second; `none` keeps nothing. */
  readonly persistence: 'everysec' | 'none';
  /** A free one by default. */
  readonly port?: number;
  readonly onLine?: (line: string) => void;
  /** Calls the start off. */
  readonly signal?: AbortSignal;
}

export interface LocalRedis {
  readonly name: string;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly ended: Promise<string>;
  stop(): Promise<void>;
  /** Sends kill -9 to the server. */
  kill(): void;
}

const STOP_STEPS: readonly StopStep[] = [
  { signal: 'SIGTERM', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
];

/**
 * Starts a Redis on 127.0.0.1, guarded by a password, and resolves when it answers. It stops a server left over in
 * `directory` first. It moves unreadable files aside: everything in Redis can be rebuilt, so a file must not keep the
 * system from starting.
 */
export async function startLocalRedis(options: LocalRedisOptions): Promise<LocalRedis> {
  const directory = resolve(options.directory);
  const say = options.onLine ?? (() => {});
  const program = await getRedisProgram(say);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const leftover = await stopLeftover(join(directory, 'redis.pid'), directory, STOP_STEPS);
  if (leftover) say(`stopped a Redis that an earlier start left behind (process ${leftover})`);
  const home: Home = { directory, program: linkProgram(directory, program), password: readPassword(directory) };

  try {
    return await onPort(options.port, (port) => startServer(home, port, options, say));
  } catch (error) {
    const files = join(directory, APPEND_DIRECTORY);
    if (!(error instanceof ChildEndedError) || !/append only|AOF/i.test(error.message) || !existsSync(files))
      throw error;
    rmSync(`${files}.unreadable`, { recursive: true, force: true });
    renameSync(files, `${files}.unreadable`);
    say(`Redis could not read its files: moved to ${files}.unreadable; starting empty`);
    return onPort(options.port, (port) => startServer(home, port, options, say));
  }
}

interface Home {
  readonly directory: string;
  readonly program: string;
  readonly password: string;
}

const APPEND_DIRECTORY = 'appendonlydir';

async function startServer(
  home: Home,
  port: number,
  { persistence, signal }: LocalRedisOptions,
  onLine: (line: string) => void,
): Promise<LocalRedis> {
  const configuration = join(home.directory, 'redis.conf');
  writePrivateFile(configuration, redisConfiguration(home, port, persistence));
  const command = runAs({ file: home.program, args: [configuration] }, { deathSignal: 'TERM' });
  const child = await startChild('redis', command, { onLine, stopSteps: STOP_STEPS });
  try {
    await waitUntilReady(child, () => answers(home.password, port), LIMITS.storeStartMs, signal);
  } catch (error) {
    await child.stop();
    if (error instanceof ChildEndedError && error.message.includes('Address already in use')) {
      throw new PortTakenError(error.message);
    }
    throw error;
  }
  return redisHandle(child, home.password, port);
}

function redisHandle(child: Child, password: string, port: number): LocalRedis {
  const url = `redis://:${password}@127.0.0.1:${port}/0`;
  return { name: 'redis', url, port, pid: child.pid, ended: child.ended, stop: child.stop, kill: child.kill };
}

/** In a file that only we can read: arguments of a process are seen by everyone on the machine. */
function redisConfiguration({ directory, password }: Home, port: number, persistence: 'everysec' | 'none'): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${quoted(directory)}`,
    `pidfile ${quoted(join(directory, 'redis.pid'))}`,
    'daemonize no',
    'loglevel warning',
    'maxmemory-policy noeviction',
    `appendonly ${persistence === 'everysec' ? 'yes' : 'no'}`,
    'appendfsync everysec',
    'save ""',
    '',
  ].join('\n');
}

/** The binary may have another name, and acts by the name that it is called with. */
function linkProgram(directory: string, program: string): string {
  const link = join(directory, 'redis-server');
  rmSync(link, { force: true });
  symlinkSync(program, link);
  return link;
}

function readPassword(directory: string): string {
  const file = join(directory, 'password');
  if (!existsSync(file)) writePrivateFile(file, randomBytes(24).toString('hex'));
  return readFileSync(file, 'utf8');
}

async function answers(password: string, port: number): Promise<boolean> {
  const redis = new Redis(port, '127.0.0.1', {
    password,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 5_000,
  });
  // connect() rejects with this failure, too.
  redis.on('error', () => {});
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
