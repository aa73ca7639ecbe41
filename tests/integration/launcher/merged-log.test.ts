import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { splitLines } from '../../../engine/launcher/processes/line-splitter.ts';
import { createMergedLog } from '../../../engine/launcher/processes/merged-log.ts';
import { LIMITS } from '../../../schema/limits.ts';

const record = (fields: object) =>
  JSON.stringify({ level: 40, time: '2026-01-02T03:04:05.678Z', name: 'x', ...fields });

test('a record becomes one line that opens with its process, and other lines pass as they are', () => {
  const { log, written } = collect({ colors: false });
  log.from('gateway')(record({ msg: 'slow', ms: 7 }));
  log.from('postgres')('LOG:  checkpoint');
  log.from('workers')('{"not":"a record"}');
  log.from('workers')('');
  log.say('starting');
  const [gateway, ...others] = written();
  assert.match(gateway ?? '', /^gateway {2}\| \[\d\d:\d\d:05\.678\] WARN: slow \{"ms":7\}$/);
  assert.deepEqual(others, ['postgres | LOG:  checkpoint', 'workers  | {"not":"a record"}', 'launcher | starting']);
});

test('every line of a stack opens with its process', () => {
  const { log, written } = collect({ colors: false });
  log.from('gateway')(record({ msg: 'failed', err: { type: 'Error', message: 'no', stack: 'Error: no\n    at x' } }));
  assert.ok(written().length > 1);
  for (const line of written()) assert.match(line, /^gateway {2}\| /);
});

test('colours are written only where they are wanted', () => {
  for (const colors of [true, false]) {
    const { log, written } = collect({ colors });
    log.from('gateway')(record({ msg: 'hello' }));
    assert.equal(written().join().includes('\u001b['), colors);
  }
});

test('characters and lines cut by the pipe are put together, and endless lines come in pieces', async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  splitLines(stream, (line) => lines.push(line));
  const [head, tail] = [Buffer.from('caf\u00e9\r\nnext').subarray(0, 4), Buffer.from('caf\u00e9\r\nnext').subarray(4)];
  stream.write(head);
  stream.write(tail);
  stream.end(`${'x'.repeat(LIMITS.logLineChars * 2)}\n`);
  await new Promise((resolve) => stream.once('end', resolve));
  assert.equal(lines[0], 'café');
  assert.equal(lines.slice(1).join(''), `next${'x'.repeat(LIMITS.logLineChars * 2)}`);
  assert.ok(lines.every((line) => line.length <= LIMITS.logLineChars));
});

function collect(options: { colors: boolean }) {
  let text = '';
  const log = createMergedLog((more) => {
    text += more;
  }, options);
  return { log, written: () => text.trimEnd().split('\n') };
}
