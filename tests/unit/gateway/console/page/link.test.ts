import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FromWorker, Patch, Session, ToWorker } from '../../../../../gateway/console/live/protocol.ts';
import { openPage } from '../../../../support/system/page-globals.ts';

/** The page's end of the worker, and its frames, which come when the test draws. */
const port = {
  sent: [] as ToWorker[],
  onmessage: (_: { readonly data: FromWorker }): void => assert.fail('nobody listens'),
  postMessage(message: ToWorker): void {
    port.sent.push(message);
  },
};
const frames: (() => void)[] = [];
openPage(port);
Object.assign(globalThis, { requestAnimationFrame: (frame: () => void) => frames.push(frame) });
// By a name that the compiler does not follow: it checks the tests without the types of a browser.
const source = new URL('../../../../../gateway/console/page/link.ts', import.meta.url);
const link = await import(source.href);
link.openLink();

const LEFT: Session = { state: 'signed-out', why: 'left' };

function drawFrame(): void {
  for (const frame of frames.splice(0)) frame();
}

function signedIn(user: number): Session {
  return { state: 'signed-in', caller: { user: { id: user }, organization: { id: user } } } as unknown as Session;
}

const says = (data: FromWorker) => port.onmessage({ data });
const becomes = (session: Session) => says({ kind: 'session', session });
const patch = {
  task: { id: 7 },
  figures: { open: 1 },
  couriers: { isWhole: true, put: [{ id: 3, name: 'Amina' }], gone: [] },
};
const shown = () => [link.task.value?.id, link.figures.value?.open, link.couriers.value.length];

test('a patch that waits for its frame is written while its session lasts, and ends with it', () => {
  becomes(signedIn(1));
  says({ kind: 'patch', patch: patch as unknown as Patch });
  drawFrame();
  drawFrame();
  assert.deepEqual(shown(), [7, 1, 1]);

  for (const sessions of [[LEFT], [{ state: 'signed-out', why: 'ended' } as const, signedIn(2)]]) {
    says({ kind: 'patch', patch: patch as unknown as Patch });
    for (const session of sessions) becomes(session);
    port.sent.length = 0;
    drawFrame();
    assert.deepEqual(shown(), [undefined, undefined, 0], sessions.map(({ state }) => state).join(', '));
    drawFrame();
    assert.deepEqual(port.sent, [{ kind: 'painted', drawMs: null }], 'the worker goes on');
    becomes(signedIn(1));
  }
});
