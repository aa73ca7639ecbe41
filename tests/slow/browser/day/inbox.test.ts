import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { EXCEPTION_KINDS, type ExceptionKind } from '../../../../gateway/console/live/protocol.ts';
import { attention } from '../../../../gateway/console/text/english-attention.ts';
import type { TaskView } from '../../../../schema/tasks/task-view.ts';
import { openConsole } from '../../../browser/console/console-place.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { until } from '../../../support/until.ts';
import { type Hands, lineOf } from './day-hands.ts';
import {
  BERLIN,
  bring,
  customerOf,
  type DayPlace,
  EN_ROUTE,
  FAILED,
  read,
  report,
  setDuty,
  startDayPlace,
  step,
  untilTask,
} from './day-place.ts';
import { keyboard } from './key-hands.ts';
import { mouse } from './mouse-hands.ts';

const chrome = useBrowser();
/** An endpoint that answers 410. */
const gone = createServer((_, reply) => reply.writeHead(410).end());
let place: DayPlace;
before(async () => {
  gone.listen(0, '127.0.0.1');
  await once(gone, 'listening');
  place = await startDayPlace();
  // On duty and of unknown place: the planner leaves them to the dispatcher.
  for (const { id } of place.couriers.slice(2)) await setDuty(place, id, true);
});
after(async () => {
  gone.close();
  await place?.stop();
});

const inSeconds = (seconds: number) => ({ windowEnd: new Date(Date.now() + seconds * 1_000).toISOString() });
/** Long enough to bring a task on its way before it is late. */
const SOON = 5;
/** Within the time in which the inbox calls a task at risk. */
const RATHER_SOON = 10 * 60;
/** Older than the contract calls fresh. */
const LONG_AGO = 6 * 60;
const REMEDIES = {
  reattempt: { key: 'y', button: 'Attempt again' },
  search: { key: 'f', button: 'Look for a courier' },
  reassign: { key: 'r', button: 'Reassign' },
  takeBack: { key: 'u', button: 'Take back and look' },
} as const;

type Trouble = ExceptionKind | 'webhook';

/** The inbox, with the courier who gets into trouble in it and the kinds of trouble that were seen. */
interface Inbox {
  readonly page: Page;
  readonly hands: Hands;
  readonly hana: DayPlace['couriers'][number];
  readonly seen: Set<Trouble>;
}

// Each has a courier of its own: an old position is only taken from one that was not heard of before.
for (const [index, handsOf] of [keyboard, mouse].entries())
  test(`a dispatcher mends every kind of trouble in the inbox with the ${handsOf.name}`, WITH_BROWSER, async () => {
    const { page, troubles } = await openConsole(chrome.browser, place.network.baseUrl);
    const hands = handsOf(page);
    await hands.signIn(place.demo.dispatcher);
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await hands.openInbox();
    const inbox: Inbox = { page, hands, hana: place.couriers[index]!, seen: new Set() };
    await mendFailed(inbox);
    await mendLate(inbox);
    await mendAtRisk(inbox);
    await mendCouriers(inbox);
    await findSomebody(inbox);
    await seeWebhook(inbox);
    assert.deepEqual([...inbox.seen].sort(), [...EXCEPTION_KINDS, 'webhook'].sort());
    await setDuty(place, inbox.hana.id, false);
    assert.deepEqual(troubles, []);
    await page.context().close();
  });

function make(what: string, fields: object = {}): Promise<TaskView> {
  const location = { address: 'Alexanderplatz 1, Berlin', ...BERLIN };
  return place.api.createTask({ customer: customerOf(what), location, ...fields });
}

/** Waits for the line with the trouble and its reason. */
async function see({ page, seen }: Inbox, kind: Trouble, words: string, why: string | RegExp): Promise<void> {
  const line = lineOf(page, words).filter({ hasText: attention.kinds[kind] });
  await line.getByText(why, { exact: true }).waitFor();
  seen.add(kind);
}

/** Once nobody is in the list, a mended line leaves it. */
async function leaves({ page, hands }: Inbox, words: string): Promise<void> {
  await hands.letGo();
  await lineOf(page, words).waitFor({ state: 'detached' });
}

async function mendFailed(inbox: Inbox): Promise<void> {
  const [, , ivan] = place.couriers;
  const failed = await make('Fails');
  await bring(place, failed, ivan!.id, ...EN_ROUTE, FAILED);
  await see(inbox, 'failed', failed.code, FAILED.failureReason);
  await inbox.hands.mend(failed.code, REMEDIES.reattempt);
  await leaves(inbox, failed.code);
  const next = await read(place, (await read(place, failed.id)).nextTaskId!);
  assert.deepEqual([next.attempt, next.previousTaskId], [2, failed.id]);
  await step(place, next.id, { status: 'cancelled' });
}

/** One that nobody has, and one that is on its way: another courier meets it, and the dispatcher says which. */
async function mendLate(inbox: Inbox): Promise<void> {
  const { hands } = inbox;
  const [, , ivan, julia] = place.couriers;
  const waits = await make('Waits', inSeconds(SOON));
  await see(inbox, 'late', waits.code, 'No courier has it');
  await hands.mend(waits.code, REMEDIES.search);
  await untilTask(place, waits.id, 'the search begins', (task) => task.autoAssignmentStatus !== 'not_requested');
  await step(place, waits.id, { status: 'cancelled' });
  await leaves(inbox, waits.code);

  const stuck = await make('Stuck', inSeconds(SOON));
  await bring(place, stuck, ivan!.id, ...EN_ROUTE);
  await see(inbox, 'late', stuck.code, `${ivan!.name} has it`);
  await hands.mend(stuck.code, REMEDIES.reassign);
  await hands.choose(julia!.name);
  await untilTask(place, stuck.id, 'another courier has it', ({ agentId }) => agentId === julia!.id);
  await see(inbox, 'late', stuck.code, `${julia!.name} has it`);
  await step(place, stuck.id, ...EN_ROUTE, { status: 'completed' });
  await leaves(inbox, stuck.code);
}

async function mendAtRisk(inbox: Inbox): Promise<void> {
  const [, , ivan] = place.couriers;
  const risky = await make('At risk', inSeconds(RATHER_SOON));
  await bring(place, risky, ivan!.id, { status: 'accepted' });
  await see(inbox, 'at-risk', risky.code, new RegExp(`^${ivan!.name} has not set out, due `));
  await inbox.hands.mend(risky.code, REMEDIES.takeBack);
  await isLookedFor(risky, ivan!);
  await inbox.hands.letGo();
}

function isLookedFor({ id }: TaskView, from: DayPlace['couriers'][number]): Promise<void> {
  return untilTask(
    place,
    id,
    'it is taken back, and another courier is looked for',
    ({ agentId, autoAssignmentStatus }) => agentId !== from.id && autoAssignmentStatus !== 'not_requested',
  );
}

/** One who has left with a task, and one who is on duty and was not heard of for long. */
async function mendCouriers(inbox: Inbox): Promise<void> {
  const { hana, hands } = inbox;
  const left = await make('Left');
  await bring(place, left, hana.id);
  await see(inbox, 'left-courier', hana.name, 'Off duty, with 1 task to bring');
  await hands.mend(hana.name, REMEDIES.takeBack);
  await isLookedFor(left, hana);
  await leaves(inbox, hana.name);

  const lost = await make('Lost');
  await report(hana, LONG_AGO);
  await setDuty(place, hana.id, true);
  await bring(place, lost, hana.id);
  await see(inbox, 'lost-courier', hana.name, 'No fresh position, and 1 task to bring');
  await hands.mend(hana.name, REMEDIES.takeBack);
  await isLookedFor(lost, hana);
  await leaves(inbox, hana.name);
}

/** Nobody can lift it, until a colleague notes that Hana can, and she is heard of again. */
async function findSomebody(inbox: Inbox): Promise<void> {
  const { page, hana, hands } = inbox;
  const heavy = await make('Heavy', { requiredSkills: [`crane-${hana.id}`], autoAssign: true });
  await see(inbox, 'nobody', heavy.code, 'Nobody on duty fits');
  assert.equal((await place.api.patch(`/agents/${hana.id}`, { skills: heavy.requiredSkills })).status, 200);
  await hands.mend(heavy.code, REMEDIES.search);
  await page.getByText(`The search for a courier of ${heavy.code} begins.`).waitFor();
  await report(hana, 0);
  await until('Hana is asked, and accepts', () => acceptOnly(hana, heavy));
  await leaves(inbox, heavy.code);
}

/** Other tasks look for a courier, too: who is asked about one of them is not asked about this one. */
async function acceptOnly({ api }: DayPlace['couriers'][number], { id: wanted }: TaskView): Promise<boolean> {
  const pending = '/assignment-requests?status=pending';
  const { items } = (await api.get<{ items: { id: number; taskId: number }[] }>(pending)).body.data;
  const offer = items.find(({ taskId }) => taskId === wanted);
  if (offer) return (await api.post(`/assignment-requests/${offer.id}/accept`, {})).status === 200;
  for (const { id } of items) await api.post(`/assignment-requests/${id}/reject`, {});
  return false;
}

/** An administrator has to switch it on again: the dispatcher sees it, and is not offered what she may not do. */
async function seeWebhook(inbox: Inbox): Promise<void> {
  const url = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/hook`;
  const hook = await place.admin.post<{ id: number }>('/webhooks', { url, events: ['*'] });
  assert.equal(hook.status, 201, hook.text);
  await make('Tells the webhook');
  await see(inbox, 'webhook', url, 'Its address says that it is gone for good');
  const offered = lineOf(inbox.page, url).getByRole('button', { name: /^Switch on again/ });
  assert.equal(await offered.count(), 0);
  const removed = await place.admin.dispatch.delete('/webhooks/{id}', { path: { id: hook.body.data.id } });
  assert.equal(removed.status, 200);
  await leaves(inbox, url);
}
