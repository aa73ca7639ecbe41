import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** The line that a program writes of an error. */
function lineOf(error: string) {
  const module = new URL('../../../engine/runtime/log.ts', import.meta.url).href;
  const program = `
    const { createLog } = await import(${JSON.stringify(module)});
    createLog('test', 'info').warn({ err: ${error} }, 'the connection fails');`;
  const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('the arguments of a command that Redis refused stay out of the log: a password, or the places of agents', () => {
  const line = lineOf(`Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['hush'] } })`);
  assert.equal(line.err.message, 'WRONGPASS');
  assert.equal(line.err.command.name, 'auth');
  assert.doesNotMatch(JSON.stringify(line), /hush/);
});

test('an address that cannot be read stays out of the log: it may have a password', () => {
  const line = lineOf(`(() => { try { new URL('postgres://a:hush@b:1,c:2/d'); } catch (error) { return error; } })()`);
  assert.equal(line.err.code, 'ERR_INVALID_URL');
  assert.doesNotMatch(JSON.stringify(line), /hush/);
});
