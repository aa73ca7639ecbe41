import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { LaunchError } from '../processes/launch-error.ts';
import { splitLines } from '../processes/line-splitter.ts';

/** The server and its file checkers are one binary that acts by the name it is called with. */
const PROGRAM_NAMES = ['redis-server', 'redis-check-rdb'];

/**
 * The path of a Redis server's binary, to be called by the name `redis-server`. When there is none and we are root
 * on a system with apt, it is installed: the package `redis-tools`, which holds the binary without the
 * system service that `redis-server` would set up and start on port 6379. Throws LaunchError with the command to run.
 */
export async function getRedisProgram(say: (line: string) => void): Promise<string> {
  const present = findRedisProgram();
  if (present) return present;
  if (process.getuid?.() !== 0 || !findOnPath('apt-get')) throw missing('It was not found on PATH.');
  say("no redis-server on PATH: installing Debian's package redis-tools (the server's binary, no system service)");
  if (!(await installRedis(say))) {
    await apt(['update'], say);
    if (!(await installRedis(say))) throw missing('Installing it through apt failed.');
  }
  const installed = findRedisProgram();
  if (!installed) throw missing('The package redis-tools of this system does not bring it.');
  return installed;
}

function findRedisProgram(): string | undefined {
  for (const name of PROGRAM_NAMES) {
    const path = findOnPath(name);
    if (path) return path;
  }
  return undefined;
}

function findOnPath(name: string): string | undefined {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here; the next directory may have it.
    }
  }
  return undefined;
}

const installRedis = (say: (line: string) => void) =>
  apt(['install', '-y', '--no-install-recommends', 'redis-tools'], say);

async function apt(args: readonly string[], say: (line: string) => void): Promise<boolean> {
  const child = spawn('apt-get', ['-q', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  splitLines(child.stdout, say);
  splitLines(child.stderr, say);
  const [code] = await once(child, 'close');
  return code === 0;
}

function missing(reason: string): LaunchError {
  return new LaunchError(
    `A Redis server is needed. ${reason}\nInstall one (\`sudo apt-get install redis-server\`, \`brew install redis\`), ` +
      'or set REDIS_URL to one of your own (maxmemory-policy noeviction).',
  );
}
