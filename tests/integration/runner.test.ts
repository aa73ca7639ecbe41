import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runEnvironment } from '../support/runner/run-environment.ts';

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

test('a run fails for suites that fail around tests that pass', async () => {
  const imports = "import { after, describe, test } from 'node:test';\n";
  const [passing, throwing] = ["test('passes', () => {});\n", "throw new Error('on purpose');"];
  const files: Record<string, string> = {
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
  const summary = `${JOINED - 1} passed, ${failures} failed`;
  assert.equal(output.trimEnd().split('\n').at(-1), summary, output);
});
