import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { openConsole } from '../../../browser/console/console-place.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { panelOf, rowOf } from './day-hands.ts';
import { customerOf, type DayPlace, setDuty, startDayPlace, step, untilTask } from './day-place.ts';
import { mouse } from './mouse-hands.ts';
import { assertSameAsApi, leaveList } from './shown-tasks.ts';

const chrome = useBrowser();
let place: DayPlace;
before(async () => {
  place = await startDayPlace();
  // On duty and of unknown place: the planner leaves them to the dispatcher.
  for (const { id } of place.couriers) await setDuty(place, id, true);
});
after(() => place?.stop());

/** As long as a train is in a tunnel. */
const CUT_MS = 30_000;
/** `DAY_TABS_MINUTES` keeps the two tabs open for longer. */
const TABS_MINUTES = Number(process.env['DAY_TABS_MINUTES'] ?? 1);
/** The screen notes each second when it was true, and a busy machine notices a cut late. */
const AROUND_THE_CUT_S = 20;
const DAY_S = 86_400;
/** A browser writes these lines when its network is cut. */
const OF_THE_CUT = /net::ERR_(CONNECTION|EMPTY_RESPONSE|INCOMPLETE|SOCKET|NETWORK)/;

const untilLive = (page: Page) => page.locator('.connection.live').waitFor();
const cutOff = (page: Page) => page.locator('.cut-off');

test(
  'a console without a network for half a minute says so, and comes back with everything it missed',
  WITH_BROWSER,
  async () => {
    const { page, troubles } = await openConsole(chrome.browser, place.network.baseUrl);
    await mouse(page).signIn(place.demo.dispatcher);
    await untilLive(page);
    await leaveList(page);
    const [, , ivan] = place.couriers;
    const names = [customerOf('Given'), customerOf('Ended'), customerOf('Came in the tunnel')] as const;
    const given = await place.api.createTask({ customer: names[0] });
    const ended = await place.api.createTask({ customer: names[1] });
    for (const { name } of names.slice(0, 2)) await rowOf(page, name).waitFor();

    place.network.cut();
    const cutAtMs = Date.now();
    await cutOff(page)
      .getByText(/You are seeing \d\d:\d\d:\d\d\./)
      .waitFor();
    const said = await cutOff(page).textContent();
    assertSecondsApart(said!, cutAtMs);
    const missed = await place.api.createTask({ customer: names[2] });
    assert.equal((await place.api.post(`/tasks/${given.id}/assign`, { agentId: ivan!.id })).status, 200);
    await step(place, ended.id, { status: 'cancelled' });
    await delay(CUT_MS);
    await page.locator('.connection').getByText('Cut off').waitFor();
    assert.equal(await cutOff(page).textContent(), said);
    assert.equal(await rowOf(page, names[2].name).count(), 0);
    assert.equal(await rowOf(page, names[1].name).count(), 1, 'the screen shows the time that it says');

    // The fleet goes on: a console that is back says so beside work that never stops.
    place.network.mend();
    await page.getByText(/Back\. \d+ changes came meanwhile\./).waitFor();
    await untilLive(page);
    place.holdFleet();
    const rows = await assertSameAsApi(page, place);
    place.goOn();
    assert.ok(rows.includes(`${missed.id} Unassigned: New`), rows.join('\n'));
    assert.ok(rows.includes(`${given.id} ${ivan!.name}: Assigned`), rows.join('\n'));
    assert.ok(!rows.some((row) => row.startsWith(`${ended.id} `)));
    assert.equal(await cutOff(page).count(), 0);
    assert.deepEqual(
      troubles.filter((line) => !OF_THE_CUT.test(line)),
      [],
    );
    await page.context().close();
  },
);

/** Asserts that a sentence with a time of day, in UTC as the demo's organization has it, means about that moment. */
function assertSecondsApart(sentence: string, momentMs: number): void {
  const [hours, minutes, seconds] = /(\d\d):(\d\d):(\d\d)/.exec(sentence)!.slice(1).map(Number);
  const said = hours! * 3_600 + minutes! * 60 + seconds!;
  const apart = (said - momentMs / 1_000 + DAY_S * 1_000_000) % DAY_S;
  assert.ok(Math.min(apart, DAY_S - apart) < AROUND_THE_CUT_S, `${sentence} is ${apart} s from the cut`);
}

test(
  `two tabs of one browser share a stream, and show the same while tasks go from one to the other (${TABS_MINUTES} min)`,
  WITH_BROWSER,
  async (t) => {
    const streams = () => place.network.asked.filter((path) => path.includes('/realtime/')).length;
    const before = streams();
    const { page: first, troubles } = await openConsole(chrome.browser, place.network.baseUrl);
    await mouse(first).signIn(place.demo.dispatcher);
    await untilLive(first);
    const second = await first.context().newPage();
    second.on('pageerror', (error) => troubles.push(String(error)));
    await second.goto(`${place.network.baseUrl}/console`);
    await untilLive(second);
    assert.equal(streams() - before, 1, 'the second tab opens no stream');
    let rounds = 0;
    for (const endsAt = performance.now() + TABS_MINUTES * 60_000; performance.now() < endsAt; rounds++)
      await passOn(rounds % 2 === 0 ? [first, second] : [second, first]);
    place.holdFleet();
    for (const tab of [first, second]) {
      await tab.bringToFront();
      await untilLive(tab);
      await assertSameAsApi(tab, place);
    }
    place.goOn();
    t.diagnostic(`${rounds} tasks made in one tab and given in the other`);
    assert.ok(rounds > 0);
    assert.deepEqual(troubles, []);
    await first.context().close();
  },
);

/** A task is made in one tab and given in the other, and each sees what the other does. */
async function passOn([one, other]: readonly [Page, Page]): Promise<void> {
  const [, , ivan] = place.couriers;
  const { name: customer, phone } = customerOf('In two tabs');
  await one.bringToFront();
  await mouse(one).create({ what: 'Two tabs', customer, phone, address: 'Alexanderplatz 1', pin: '52.52, 13.405' });
  await panelOf(one).getByText(customer).waitFor();
  const id = Number(new URL(one.url()).searchParams.get('task'));
  await other.bringToFront();
  await mouse(other).give(customer, ivan!.name);
  await untilTask(place, id, 'the task is given', ({ agentId }) => agentId === ivan!.id);
  await rowOf(other, customer).click();
  for (const tab of [one, other]) {
    await tab.bringToFront();
    await panelOf(tab)
      .getByRole('button', { name: /^Reassign/ })
      .waitFor();
    await panelOf(tab).getByRole('definition').filter({ hasText: ivan!.name }).waitFor();
  }
  await step(place, id, { status: 'cancelled' });
  for (const tab of [one, other]) {
    await tab.bringToFront();
    await panelOf(tab).locator('.status-chip').first().filter({ hasText: 'Cancelled' }).waitFor();
    await leaveList(tab);
  }
}
