import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import type { Answer, ApiCall, FromWorker, ToWorker } from '../../../../../gateway/console/live/protocol.ts';
import { openPage } from '../../../../support/system/page-globals.ts';

/** The page's end of the worker, which answers each call as the test says. */
const answers: Answer[] = [];
const calls: ApiCall[] = [];
const port = {
  onmessage: (_: { readonly data: FromWorker }): void => assert.fail('nobody listens'),
  postMessage(message: ToWorker): void {
    if (message.kind !== 'call') return;
    calls.push(message.call);
    port.onmessage({ data: { kind: 'answer', id: message.id, answer: answers.shift()! } });
  },
};
openPage(port);
// By names that the compiler does not follow: it checks the tests without the types of a browser.
const [pathOfLink, pathOfState, pathOfImport, pathOfSending] = [
  'page/link.ts',
  'page/state.ts',
  'import/import-state.ts',
  'import/send-table.ts',
].map((path) => new URL(`../../../../../gateway/console/${path}`, import.meta.url).href);
const { openLink } = await import(pathOfLink!);
const { nowMs } = await import(pathOfState!);
const { discardTable, judgedLines, openTable } = await import(pathOfImport!);
const { decideUndecided, isTooOld, sendTable, undecided } = await import(pathOfSending!);
openLink();

beforeEach(() => mock.timers.enable({ apis: ['Date'] }));
afterEach(() => mock.timers.reset());

/** The clock that is shown ticks, and is late by as long as the machine has slept. */
function wakeAt(atMs: number, sleptMs = 0): void {
  mock.timers.setTime(atMs);
  nowMs.value = atMs - sleptMs;
}

const TABLE = `customer,phone,address,lat,lng
Ada,+44 20 7946 0001,Low St 1,51.5,-0.13
Grace,+44 20 7946 0002,Low St 2,51.5,-0.13`;

const refusal = (status: number, code: string | null, message = ''): Answer => ({
  ok: false,
  failure: { status, code, message, details: null },
});
const shown = () =>
  judgedLines.value.map(({ state, sent }: { state: string; sent: { words?: string } }) => [state, sent.words ?? '']);

test('lines about which nothing is decided say why: what a guard has refused, and that no answer came', async () => {
  wakeAt(Date.parse('2031-05-01T08:00:00Z'));
  const reasons: readonly (readonly [answer: Answer, words: RegExp])[] = [
    [refusal(503, 'OVERLOADED'), /^The engine is very busy/],
    [refusal(429, 'RATE_LIMITED'), /^Too many requests/],
    [refusal(401, 'UNAUTHORIZED', 'The session is over.'), /^The session is over/],
    [refusal(403, 'FORBIDDEN'), /^Your role does not allow this/],
    [refusal(0, null), /^No answer from the server/],
  ];
  assert.equal(openTable(TABLE), undefined);
  for (const [answer, words] of reasons) {
    answers.push(answer);
    await sendTable();
    for (const [state, said] of shown()) {
      assert.equal(state, 'undecided');
      assert.match(said, words);
    }
  }
  assert.equal(new Set(calls.map(({ key }) => key)).size, 1);
});

test('lines without a decision are sent again for 23 hours; after that a person says whether their tasks exist', async () => {
  const start = Date.parse('2031-05-01T08:00:00Z');
  const send = async (answer: Answer) => {
    calls.length = 0;
    answers.splice(0, 1, answer);
    await sendTable();
    return calls.map(({ key }) => key);
  };
  const created = [5, 6].map((id, index) => ({ index, task: { id, code: `A-${id}` } }));
  const done: Answer = { ok: true, status: 200, data: { items: created } };
  const loseAt = async (atMs: number) => {
    wakeAt(atMs);
    assert.equal(openTable(TABLE), undefined);
    return send(refusal(0, null));
  };
  discardTable();
  const [key] = await loseAt(start);
  wakeAt(start + 22 * 3_600_000);
  assert.deepEqual(await send(refusal(503, 'OVERLOADED')), [key], 'a repeat makes it no younger');
  wakeAt(start + 23 * 3_600_000);
  assert.equal(isTooOld.value, true);
  assert.deepEqual(await send(done), []);
  decideUndecided(false);
  assert.deepEqual(shown(), [
    ['ready', ''],
    ['ready', ''],
  ]);
  const [next] = await send(done);
  assert.notEqual(next, key);
  assert.deepEqual(shown(), [
    ['created', ''],
    ['created', ''],
  ]);

  discardTable();
  await loseAt(start);
  wakeAt(start + 23 * 3_600_000);
  decideUndecided(true);
  assert.equal(undecided.value, null);
  assert.deepEqual(shown(), [
    ['existing', ''],
    ['existing', ''],
  ]);
  assert.deepEqual(await send(done), []);
});

test('lines of Friday are too old on Monday, also while the clock that is shown is late', async () => {
  const friday = Date.parse('2031-05-02T17:00:00Z');
  discardTable();
  wakeAt(friday);
  assert.equal(openTable(TABLE), undefined);
  calls.length = 0;
  answers.splice(0, 1, refusal(0, null));
  await sendTable();
  assert.equal(isTooOld.value, false);
  const sleptMs = 64 * 3_600_000;
  mock.timers.setTime(friday + sleptMs);
  await sendTable();
  assert.equal(calls.length, 1, 'nothing is sent, also before the page has seen that it woke up');
  wakeAt(friday + sleptMs + 1_000, sleptMs);
  assert.equal(isTooOld.value, true);
});
