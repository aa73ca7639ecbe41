import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import type { Authentication } from '../../../gateway/guards/authenticate.ts';
import type { IncomingRequest, Reply } from '../../../gateway/http/port.ts';
import { RequestHandler } from '../../../gateway/request/handle-request.ts';
import type { RequestMetrics } from '../../../gateway/request/request-metrics.ts';
import { type Identity, may, rawRoute } from '../../../gateway/route.ts';
import { Router } from '../../../gateway/router.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createHandClock } from './guards/hand-clock.ts';

const IDENTITY = { caller: { type: 'user', id: 3 } } as unknown as Identity;
const REFUSED: Authentication = { refused: { status: 401, body: '' } };

/** A GET with a chunked body whose end comes by hand; its caller is let in at first. */
function hold() {
  const { clock, advance } = createHandClock();
  const scene = { generation: 1, answer: { identity: IDENTITY } as Authentication, asked: 0, opened: 0 };
  const route = rawRoute({
    method: 'GET',
    place: 'api',
    path: '/held',
    guard: may('events'),
    summary: 'Hold',
    answers: 'text/event-stream',
    handle() {
      scene.opened += 1;
    },
  });
  let end = (_: Buffer) => {};
  const draw = () => ({ headers: [], retryAfterSeconds: null });
  const handler = new RequestHandler({
    router: new Router([route]),
    access: {
      isSecure: () => true,
      addressOf: () => null,
      authenticate: () => {
        scene.asked += 1;
        return scene.answer;
      },
      generation: () => scene.generation,
      quotas: { draw, drawAddress: draw, owe: () => [] },
    },
    metrics: { of: () => ({ answered() {} }) } as unknown as RequestMetrics,
    otherOrigins: undefined,
    clock,
    random: createRandomSource(),
    log: createLog('gateway', 'silent'),
  });
  const incoming: IncomingRequest = {
    method: 'GET',
    path: '/api/v1/held',
    query: '',
    remoteAddress: '',
    header: (name) => (name === 'transfer-encoding' ? 'chunked' : undefined),
    headerCount: () => 0,
    readBody: () => new Promise((resolve) => (end = resolve)),
  };
  const statuses: number[] = [];
  const reply = { done: false, send: (status: number) => statuses.push(status) } as unknown as Reply;
  const handled = handler.handle(incoming, reply);
  return {
    scene,
    advance,
    async finish() {
      end(Buffer.alloc(0));
      await handled;
      return { statuses, opened: scene.opened, asked: scene.asked };
    },
  };
}

test('a caller whose access ends while a short body is on its way gets no stream, which nothing would end', async () => {
  const { scene, finish } = hold();
  scene.generation += 1;
  scene.answer = REFUSED;
  assert.deepEqual(await finish(), { statuses: [401], opened: 0, asked: 2 });
});

test('a caller is asked for once more behind a slow body, and once where nothing has changed', async () => {
  const slow = hold();
  await slow.advance(LIMITS.lateBodyMs + 1);
  assert.deepEqual(await slow.finish(), { statuses: [], opened: 1, asked: 2 });
  assert.deepEqual(await hold().finish(), { statuses: [], opened: 1, asked: 1 });
});
