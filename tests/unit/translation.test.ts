import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bundleGroups } from '../support/runner/bundle-groups.ts';
import { translateTree } from '../support/runner/translate-tree.ts';

const root = mkdtempSync(join(tmpdir(), 'translation-'));
after(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
}

/** A change to a text of the same size leaves no trace. */
function writeUnseen(text: string): void {
  write('source/unseen.ts', text);
  utimesSync(join(root, 'source/unseen.ts'), 1, 1);
}

mkdirSync(join(root, 'source'));
write('tsconfig.json', '{ "include": ["source"] }');
write('package.json', '{ "type": "module" }');
write('source/main.ts', "import { told } from './told.ts';\nconsole.log(told as string);\n");
write('source/told.ts', "interface Unused {\n  readonly a: 1;\n}\nexport const told: string = 'told';\n");
writeUnseen("console.log('before' as string);\n");
write('source/changed.ts', "export const changed: string = 'before it was changed';\n");
write('source/where.ts', 'console.log(import.meta.url);\n');
write('source/failing.ts', "interface Unused {\n  readonly a: 1;\n}\n\nthrow new Error('on purpose');\n");
write('source/unfinished.ts', 'const = 1;\n');
write(
  'source/thread.ts',
  "import { Worker } from 'node:worker_threads';\nnew Worker(new URL('main.ts', import.meta.url));\n",
);
const { environment } = await translateTree(root, join(root, 'translated'));

function runNode(...args: string[]) {
  const cwd = join(root, 'source');
  return promisify(execFile)(process.execPath, args, { cwd, env: { PATH: process.env['PATH'], ...environment } });
}

describe('a tree that was translated once', { concurrency: true }, () => {
  test('a tree that was translated once is not translated again, also where tsx is asked for', async () => {
    writeUnseen("console.log('afresh' as string);\n");
    const { stdout } = await runNode('--import', import.meta.resolve('tsx'), 'unseen.ts');
    assert.equal(stdout, 'before\n');
  });

  test('a tree that was translated once has its modules where their sources are', async () => {
    const { stdout } = await runNode('where.ts');
    assert.equal(stdout.trim(), pathToFileURL(join(root, 'source/where.ts')).href);
  });

  test('a tree that was translated once names the lines of the sources in errors', async () => {
    await assert.rejects(runNode('failing.ts'), { stderr: /on purpose\n {4}at .*source\/failing\.ts:5:7/ });
  });

  test('a tree that was translated once runs in threads', async () => {
    assert.equal((await runNode('thread.ts')).stdout, 'told\n');
  });

  test('a tree that was translated once serves what has changed since, and what is new, as it is now', async () => {
    write('source/changed.ts', "export const changed: string = 'after';\n");
    write('source/added.ts', "import { changed } from './changed.ts';\nconsole.log(changed as string);\n");
    assert.equal((await runNode('added.ts')).stdout, 'after\n');
  });

  test('a tree that was translated once reports a file that does not parse when it is loaded, and only then', async () => {
    await assert.rejects(runNode('unfinished.ts'), { stderr: /unfinished\.ts:1:6: ERROR/ });
  });
});

test('the files of a group run one after another in one process, each with the URLs and lines of its sources', async () => {
  write('source/part.ts', "export function fail(): void {\n  throw new Error('on purpose');\n}\n");
  const hooks = "import { after, before, test } from 'node:test';\nimport { fail } from './part.ts';\n";
  write(
    'source/first.ts',
    `${hooks}console.log(import.meta.url);\nafter(() => console.log('first ends'));\ntest('passes', () => {});\n`,
  );
  write(
    'source/second.ts',
    `${hooks}console.log('second is loaded');\nbefore(fail);\nafter(fail);\ntest('is not reached', () => {});\n`,
  );
  write('source/third.ts', `${hooks}test('runs all the same', () => {});\n`);
  const group = ['source/first.ts', 'source/second.ts', 'source/third.ts'];
  const [module] = await bundleGroups(root, join(root, 'translated/bundles'), [group]);
  const run = runNode('--test-reporter=tap', module!);
  const stdout = await run.then(
    () => assert.fail('the second file fails'),
    (error: { readonly stdout: string }) => error.stdout,
  );
  const lines = stdout.split('\n').map((line) => line.trim());
  const loads = lines.filter((line) => line.startsWith('file:') || line === 'second is loaded');
  assert.deepEqual(loads, [pathToFileURL(join(root, 'source/first.ts')).href, 'second is loaded']);
  assert.ok(lines.includes('first ends'));
  const ends = lines.filter((line) => /^(?:not )?ok/.test(line));
  assert.deepEqual(ends, [
    'ok 1 - passes',
    'ok 1 - source/first.ts',
    'not ok 1 - is not reached',
    'not ok 2 - source/second.ts',
    'ok 1 - runs all the same',
    'ok 3 - source/third.ts',
  ]);
  assert.match(stdout, /source\/part\.ts:2:9/);
});
