import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

test('the arguments of a command that Redis refused stay out of the log: a password, or the places of agents', () => {
  const module = new URL('../../../engine/runtime/log.ts', import.meta.url).href;
  const program = `
    const { createLog } = await import(${JSON.stringify(module)});
    const error = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['hush'] } });
    createLog('test', 'info').warn({ err: error }, 'the connection to Redis fails');`;
  const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', program];
  const line = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  assert.equal(line.err.message, 'WRONGPASS');
  assert.equal(line.err.command.name, 'auth');
  assert.doesNotMatch(JSON.stringify(line), /hush/);
});
