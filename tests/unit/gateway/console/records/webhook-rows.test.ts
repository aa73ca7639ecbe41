import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Row, readRows, STEP } from '../../../../../gateway/console/charts/webhook-rows.ts';
import type { Answer } from '../../../../../gateway/console/live/protocol.ts';

const TROUBLED = 120;
const SINCE = '2031-03-05T09:00:00.000Z';
const WEBHOOKS = Array.from({ length: 130 }, (_, index) => ({
  id: index + 1,
  status: 'active',
  disabledReason: null as string | null,
  failingSince: index + 1 === TROUBLED ? SINCE : null,
}));

/** Answers as the API does, with a page of the list or the one delivery of a webhook, and keeps what it was asked. */
function service() {
  const asked: number[] = [];
  async function read<T>(path: string): Promise<Answer<T>> {
    const { pathname, searchParams } = new URL(path, 'http://console');
    const from = Number(searchParams.get('cursor') ?? 0);
    const to = from + Number(searchParams.get('limit'));
    const list = { items: WEBHOOKS.slice(from, to), nextCursor: to < WEBHOOKS.length ? `${to}` : null };
    const id = pathname.split('/')[2];
    if (id) asked.push(Number(id));
    return { ok: true, status: 200, data: (id ? { items: [{ state: id }] } : list) as T };
  }
  return { asked, read };
}

async function rowsOf(answer: Promise<Answer<readonly Row[]>>): Promise<readonly Row[]> {
  const rows = await answer;
  assert.ok(rows.ok);
  return rows.data;
}

test('a round reads the deliveries of a few webhooks that are shown, those in trouble first, and keeps the others', async () => {
  const { asked, read } = service();
  const first = await rowsOf(readRows([], STEP, read));
  assert.equal(first.length, WEBHOOKS.length, 'every webhook has its row');
  const shown = [TROUBLED, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  assert.deepEqual(asked.splice(0), shown);
  const more = await rowsOf(readRows(first, 2 * STEP, read));
  assert.deepEqual(asked.splice(0), [10, 11, 12, 13, 14, 15, 16, 17, 18, 19], 'those of which nothing is known');
  assert.deepEqual(
    more.slice(0, 2 * STEP).map(({ webhook, deliveries }) => [webhook.id, String(deliveries?.[0]?.state)]),
    [TROUBLED, ...Array.from({ length: 19 }, (_, index) => index + 1)].map((id) => [id, `${id}`]),
  );
  assert.equal(more[2 * STEP]!.deliveries, null);
  const again = await rowsOf(readRows(more, 2 * STEP, read));
  assert.deepEqual(asked.splice(0), shown, 'those that were read longest ago');
  await readRows(again, 2 * STEP, read);
  assert.deepEqual(asked, [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
});

test('a refusal is the answer', async () => {
  const refusal = { ok: false as const, failure: { status: 503, code: null, message: 'away', details: null } };
  const { read } = service();
  assert.deepEqual(await readRows([], STEP, async (path) => (path.includes('/7/') ? refusal : read(path))), refusal);
});

test('a webhook in trouble is one that fails or that the service has switched off, and none that a person has', async () => {
  const off = { status: 'disabled', disabledReason: null, failingSince: SINCE };
  Object.assign(WEBHOOKS[0]!, off);
  Object.assign(WEBHOOKS[1]!, { ...off, failingSince: null });
  Object.assign(WEBHOOKS[2]!, { ...off, disabledReason: 'failing' });
  const rows = await rowsOf(readRows([], STEP, service().read));
  assert.deepEqual(
    rows.slice(0, 4).map(({ webhook }) => webhook.id),
    [3, TROUBLED, 1, 2],
  );
});
