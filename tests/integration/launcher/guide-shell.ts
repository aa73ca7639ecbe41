import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runEnvironment } from '../../support/runner/run-environment.ts';
import { until } from '../../support/until.ts';

const END = 'END-OF-COMMAND';

/** A shell that a reader would type a guide's commands into: variables and background programs stay. */
export interface GuideShell {
  /** Resolves to everything that the command printed, and to its exit code. */
  run(command: string): Promise<{ readonly output: string; readonly code: number }>;
  /** Ends it and what still runs in its background. */
  stop(): Promise<void>;
}

export function openGuideShell(directory: string): GuideShell {
  const { NODE_OPTIONS: _, ...env } = runEnvironment();
  const child = spawn('bash', ['--norc'], { cwd: directory, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stdin.write(`exec 2>&1; trap 'kill $(jobs -p)' EXIT\n`);
  return {
    async run(command) {
      printed = '';
      child.stdin.write(`${command}\nprintf '\\n${END} %s\\n' $?\n`);
      const end = new RegExp(`\\n${END} (\\d+)\\n$`);
      await until(`the end of: ${command}`, () => end.test(printed) || child.exitCode !== null);
      const [whole = '', code] = end.exec(printed) ?? [];
      return { output: printed.slice(0, printed.length - whole.length), code: Number(code ?? child.exitCode) };
    },
    async stop() {
      child.stdin.end();
      await closed;
    },
  };
}
