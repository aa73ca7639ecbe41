import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRows } from '../../../../../gateway/console/charts/webhook-rows.ts';
import type { Answer } from '../../../../../gateway/console/live/protocol.ts';

const WEBHOOKS = Array.from({ length: 130 }, (_, index) => ({ id: index + 1 }));

/** Answers as the API does: a page of the list, or the one delivery of a webhook. */
function readFrom<T>(path: string): Promise<Answer<T>> {
  const { pathname, searchParams } = new URL(path, 'http://console');
  const from = Number(searchParams.get('cursor') ?? 0);
  const to = from + Number(searchParams.get('limit'));
  const list = { items: WEBHOOKS.slice(from, to), nextCursor: to < WEBHOOKS.length ? `${to}` : null };
  const data = pathname === '/webhooks' ? list : { items: [{ state: pathname.split('/')[2] }] };
  return Promise.resolve({ ok: true, status: 200, data: data as T });
}

test('each webhook has its deliveries, those of a further page too', async () => {
  const rows = await readRows(readFrom);
  assert.ok(rows.ok);
  assert.deepEqual(
    rows.data.map(({ webhook, deliveries }) => [webhook.id, String(deliveries[0]!.state)]),
    WEBHOOKS.map(({ id }) => [id, `${id}`]),
  );
});

test('a refusal is the answer', async () => {
  const refusal = { ok: false as const, failure: { status: 503, code: null, message: 'away', details: null } };
  assert.deepEqual(await readRows(async (path) => (path.includes('/7/') ? refusal : readFrom(path))), refusal);
});
