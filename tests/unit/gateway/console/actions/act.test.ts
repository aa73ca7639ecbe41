import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import type { Answer, FromWorker, ToWorker } from '../../../../../gateway/console/live/protocol.ts';
import { consoleModule } from '../../../../support/system/console-module.ts';
import { openPage } from '../../../../support/system/page-globals.ts';

/** The page's end of the worker. Calls wait until the test answers them; courier 5 has task 2. */
const waiting: ((answer: Answer) => void)[] = [];
const port = {
  onmessage: (_: { readonly data: FromWorker }): void => assert.fail('nobody listens'),
  postMessage(message: ToWorker): void {
    if (message.kind !== 'call' && message.kind !== 'question') return;
    const reply = (answer: Answer) => port.onmessage({ data: { kind: 'answer', id: message.id, answer } });
    if (message.kind === 'call') return void waiting.push(reply);
    const { taskIds } = message.question as { taskIds: readonly number[] };
    reply({ ok: true, status: 200, data: taskIds.filter((id) => id === 2) });
  },
};
openPage(port);
const { openLink, giveTo, lookFor, addSelected, clearSelected, selected, ...dialogs } = await consoleModule(`
  export { openLink } from './page/link.ts';
  export { giveTo, lookFor } from './actions/act.ts';
  export { askToCancel, closeDialog, closeRefusals, shownRefusals } from './actions/dialog-state.ts';
  export { caller } from './page/link.ts';
  export { addSelected, clearSelected, selected } from './actions/selection.ts';
`);
openLink();

const turn = () => new Promise((resolve) => setImmediate(resolve));
const answerOf = (done: number, ...refused: readonly number[]): Answer => {
  const error = { statusCode: 409, code: 'TASK_TERMINAL', message: 'ended' };
  return { ok: true, status: 200, data: { done, items: refused.map((taskId) => ({ taskId, error })) } };
};
const DONE = answerOf(1);
/** Answers what waits longest, and waits until the page has met it. */
async function answerNext(answer: Answer): Promise<void> {
  await turn();
  waiting.shift()!(answer);
  await turn();
}

beforeEach(() => {
  // A toast leaves after some seconds.
  mock.timers.enable({ apis: ['setTimeout'] });
  clearSelected();
  dialogs.closeRefusals();
});
afterEach(() => mock.timers.reset());

test('an action takes its own tasks out of the selection, and leaves those that are selected beside them', async () => {
  addSelected([1, 2, 3]);
  void giveTo([9], 5);
  await answerNext(DONE);
  assert.deepEqual([...selected.value], [1, 2, 3], 'the open task was given');
  void lookFor([1]);
  addSelected([4]);
  await answerNext(DONE);
  assert.deepEqual([...selected.value], [2, 3, 4], 'selected while the answer was on its way');
  void giveTo([2], 5);
  await answerNext({ ok: true, status: 200, data: {} });
  assert.deepEqual([...selected.value], [3, 4], 'reassigned');
  void lookFor([3, 4]);
  await answerNext(answerOf(1, 4));
  assert.deepEqual([...selected.value], [3, 4], 'one of them was refused');
});

test('refusals are shown once no other dialog is open, one action after the other', async () => {
  const { askToCancel, caller, closeDialog, closeRefusals, shownRefusals } = dialogs;
  caller.value = { permissions: ['tasks:change'] };
  const shown = () => shownRefusals.value?.refused.map(({ taskId }: { readonly taskId: number }) => taskId);
  void lookFor([1, 2]);
  void lookFor([3, 4]);
  askToCancel([9]);
  await answerNext(answerOf(1, 1));
  assert.equal(shown(), undefined, 'a reason is being typed');
  closeDialog();
  assert.deepEqual(shown(), [1]);
  await answerNext(answerOf(1, 3));
  assert.deepEqual(shown(), [1]);
  closeRefusals();
  assert.deepEqual(shown(), [3]);
  closeRefusals();
  assert.equal(shown(), undefined);
});
