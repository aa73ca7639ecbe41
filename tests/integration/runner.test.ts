import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runEnvironment } from '../support/runner/run-environment.ts';
import { until } from '../support/until.ts';

const RUNNER = fileURLToPath(new URL('../support/runner/run-tests.ts', import.meta.url));
/** From so many on, files share processes. */
const JOINED = 20;

const root = mkdtempSync(join(tmpdir(), 'runner-'));
after(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** Runs the tests below `root` as `npm test` does, on stores of their own. */
async function runTests(): Promise<{ readonly code: number; readonly output: string }> {
  const driver = `import { runTests } from '${RUNNER}';\nprocess.exit(await runTests('${root}/', []));\n`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', driver], {
    env: { ...runEnvironment(), TMPDIR: tmpdir() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { code, output };
}

/** Its command line; empty when the process has ended. */
function commandOf(pid: string): string {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

test('a run fails for suites that fail around tests that pass, and names and kills a process that a test left', async () => {
  const imports = "import { spawn } from 'node:child_process';\nimport { after, describe, test } from 'node:test';\n";
  const [passing, throwing] = ["test('passes', () => {});\n", "throw new Error('on purpose');"];
  const files: Record<string, string> = {
    'unit/leaving': "test('leaves', () => spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).unref());",
    'unit/ending': `after(async () => { ${throwing} });\n${passing}`,
    'unit/inside': `describe('a suite', () => { after(() => { ${throwing} });\n${passing} });`,
    'unit/loading': `${passing}${throwing}`,
    'alone/hanging': `after(() => new Promise(() => {}));\n${passing}`,
  };
  for (let number = Object.keys(files).length; number < JOINED; number++) files[`unit/${number}`] = passing;
  write('package.json', '{ "type": "module" }');
  write('tsconfig.json', '{ "include": ["tests"] }');
  for (const [name, source] of Object.entries(files)) write(`tests/${name}.test.ts`, `${imports}${source}\n`);

  const { code, output } = await runTests();
  assert.equal(code, 1);
  // The file that throws fails with its test, which was cancelled, and as a suite; each other one as a suite.
  const failures = 2 + 3;
  const [, pid] = /^✖ left running by a test: sleep 60 \(process (\d+)\)$/m.exec(output) ?? [];
  // Elsewhere nothing may be claimed.
  if (process.platform === 'linux') assert.ok(pid, output);
  if (pid) await until('the process is gone', () => !commandOf(pid).startsWith('sleep'));
  const summary = `${JOINED - 1} passed, ${failures + (pid ? 1 : 0)} failed`;
  assert.equal(output.trimEnd().split('\n').at(-1), summary, output);
});
