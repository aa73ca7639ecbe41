import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { writeNoted } from '../../../engine/store/accounts/change-notes.ts';
import type { Fragment } from '../../../engine/store/postgres.ts';
import { SWITCHED_OFF } from '../../../engine/store/webhooks/ended-deliveries.ts';
import type { EndpointKey } from '../../../engine/store/webhooks/follower-store.ts';
import {
  endBelongings,
  moveBelongings,
  readWebhook,
  updateWebhook,
} from '../../../engine/store/webhooks/webhook-store.ts';
import type { Webhook } from '../../../schema/notices/webhook.ts';
import { until } from '../../support/until.ts';
import { accepts, createRunnerPlace, type RunnerPlace } from './endpoint-runner-place.ts';

/** An endpoint whose webhook gets another address while it is served. */

let place: RunnerPlace;
before(async () => {
  place = await createRunnerPlace();
});
after(() => place.drop());

const NEW_URL = 'http://127.0.0.1:2/';
const DAY_MS = 86_400_000;

async function write(
  { organizationId, webhookId }: EndpointKey,
  fields: Pick<Partial<Webhook>, 'url' | 'isActive'>,
  consequencesOf: (webhook: Webhook) => readonly Fragment[],
): Promise<void> {
  const { webhook } = (await readWebhook(place.sql, organizationId, null, webhookId))!;
  const after = { ...webhook, ...fields, version: webhook.version + 1 };
  const change = updateWebhook(place.sql, after, after.isActive && !webhook.isActive);
  assert.equal(await writeNoted(place.sql, { change, also: consequencesOf(after), notes: [] }), 1);
}

/** As PATCH with another `url` does. */
const move = (key: EndpointKey) => write(key, { url: NEW_URL }, (webhook) => moveBelongings(place.sql, webhook));

/** As two of PATCH do, one with "isActive": false and one with true. */
async function switchOffAndMove(key: EndpointKey): Promise<void> {
  const end = (webhook: Webhook) => endBelongings(place.sql, webhook, SWITCHED_OFF);
  await write(key, { isActive: false }, end);
  await write(key, { isActive: true, url: NEW_URL }, end);
}

for (const isGone of [false, true])
  test(`an answer ${isGone ? '410' : '503'} of the old address that comes late concerns the new one in nothing`, async () => {
    const key = await place.addWebhook();
    const answers: (() => void)[] = [];
    const late = isGone ? { isGone, status: 410 } : { status: 503, retryAfterMs: DAY_MS };
    const { runner, sent } = place.openEndpointRunner(
      () => new Promise((resolve) => answers.push(() => resolve({ isSuccess: false, ...late }))),
    );
    await place.commit('task.created');
    const serving = place.serve(runner, key);
    await until('it is under way', () => sent.length === 1);
    await move(key);
    answers[0]!();
    await serving;
    const heir = place.openEndpointRunner(accepts);
    await place.serve(heir.runner, key);
    assert.deepEqual(
      heir.sent.map(({ id, url }) => [id, url]),
      [[sent[0]!.id, NEW_URL]],
    );
    const { failures, pausedUntil, disabledReason } = await place.follower(key);
    assert.deepEqual([failures, pausedUntil, disabledReason], [0, null, null]);
  });

test('a 410 of the old address that comes late does not disable a webhook that was switched on with a new one', async () => {
  const key = await place.addWebhook();
  const answers: (() => void)[] = [];
  const { runner, sent } = place.openEndpointRunner(
    () => new Promise((resolve) => answers.push(() => resolve({ isSuccess: false, isGone: true, status: 410 }))),
  );
  await place.commit('task.created');
  const serving = place.serve(runner, key);
  await until('it is under way', () => sent.length === 1);
  await switchOffAndMove(key);
  answers[0]!();
  await serving;
  assert.equal((await place.follower(key)).disabledReason, null);
  const heir = place.openEndpointRunner(accepts);
  await place.commit('task.updated');
  await place.serve(heir.runner, key);
  assert.deepEqual(
    heir.sent.map(({ url }) => url),
    [NEW_URL],
  );
});

test('a delivery that the old address put off for a day goes to the new one at once, in the order of the log', async () => {
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(() => ({
    ...{ isSuccess: false, status: 503 },
    ...(sent.length === 2 ? { retryAfterMs: DAY_MS } : {}),
  }));
  await place.commit('task.created', 'task.updated', 'task.arrived');
  await place.serve(runner, key);
  assert.equal(sent.length, 2);
  await move(key);
  const heir = place.openEndpointRunner(accepts);
  await place.serve(heir.runner, key);
  assert.deepEqual(
    heir.sent.slice(0, 2).map(({ id, url }) => [id, url]),
    sent.map(({ id }) => [id, NEW_URL]),
  );
  assert.deepEqual(
    (await place.deliveries(key)).map(({ state, attempt }) => [state, attempt]),
    [
      ['succeeded', 2],
      ['succeeded', 2],
      ['succeeded', 1],
    ],
  );
});
