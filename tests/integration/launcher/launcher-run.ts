import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runEnvironment } from '../../support/runner/run-environment.ts';
import { until } from '../../support/until.ts';

const LAUNCHER = fileURLToPath(new URL('./stand-in-launcher.ts', import.meta.url));

export interface Stores {
  readonly pid: number;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly secretsKey: string;
}

export interface LauncherRun {
  readonly process: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  /** Resolves to the base URL. */
  ready(): Promise<string>;
  /** The gateway's environment; throws while there is no gateway. */
  stores(): Promise<Stores>;
  /** Sends the signal, when given, and resolves to the exit code. */
  exit(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A directory that is gone after the test or the file, together with every process that still runs there. */
export function temporaryDirectory(context: { after(end: () => Promise<void>): void }): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'launcher-')));
  context.after(async () => {
    for (const pid of processesOf(directory)) kill(pid);
    await until('its processes are gone', () => processesOf(directory).length === 0);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** `wrapper`: a command that runs the one that follows it. `program`: the launcher with stand-ins by default. */
export function startLauncher(
  dataDir: string,
  environment: Record<string, string> = {},
  wrapper: readonly string[] = [],
  program = { args: ['--import', import.meta.resolve('tsx'), LAUNCHER], env: runEnvironment() },
): LauncherRun {
  const [file = '', ...args] = [...wrapper, process.execPath, ...program.args];
  const child = spawn(file, args, {
    env: { ...program.env, DATA_DIR: dataDir, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const findBaseUrl = () => /Ready at {2}(\S+)/.exec(output)?.[1];

  async function ready(): Promise<string> {
    await until('the launcher is ready', () => findBaseUrl() !== undefined || child.exitCode !== null);
    const baseUrl = findBaseUrl();
    assert.ok(baseUrl, `the launcher ended with ${child.exitCode}:\n${output}`);
    return baseUrl;
  }

  return {
    process: child,
    output: () => output,
    ready,
    async stores() {
      const response = await fetch(`${await ready()}/stores`);
      return (await response.json()) as Stores;
    },
    async exit(signal) {
      if (signal) child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

/** Every process that works under `directory` or has it in its arguments or environment. */
export function processesOf(directory: string): number[] {
  const found = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    const facts = ['cmdline', 'environ'].map((file) => attempt(() => readFileSync(`/proc/${name}/${file}`, 'utf8')));
    return [...facts, attempt(() => readlinkSync(`/proc/${name}/cwd`))].some((fact) => fact.includes(directory));
  });
  return found.map(Number);
}

export function kill(pid: number): void {
  attempt(() => String(process.kill(pid, 'SIGKILL')));
}

/** Processes come and go while they are looked at. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
