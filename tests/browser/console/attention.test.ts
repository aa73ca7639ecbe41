import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from '../../api/api-fixture.ts';
import { dayOf } from '../../api/exceptions/day-of.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { until } from '../../support/until.ts';
import { assertAccessible, openConsole, pressChord, seedDispatcher, signIn } from './console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();

test(
  'the inbox lists what needs a dispatcher, holds still while it is read, and mends each item by one key',
  WITH_BROWSER,
  async () => {
    const day = await dayOf(fixture, {}, 1);
    const { api, organizationId } = day;
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await pressChord(page, 'g', 'a');
    await page.getByText('Nothing needs you').waitFor();

    const kept = await day.taskIn('assigned');
    const failed = await day.taskIn('in_transit');
    const outcome = { status: 'completed', outcome: 'failed', failureReason: 'Nobody at home' };
    assert.equal((await api.put(`/tasks/${failed.id}/status`, outcome)).status, 200);
    const row = (words: string) => page.locator('.alert', { hasText: words });
    await row('Amina Diallo').getByText('Off duty, with 1 task to bring').waitFor();
    await row(failed.code).getByText('Nobody at home').waitFor();
    await assertAccessible(page, 'attention');
    const titles = () => page.locator('.alert .first').allInnerTexts();
    const before = await titles();
    assert.equal(before.length, 2);

    // By keyboard alone: into the list, down to the second line, its remedy.
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('y');
    await row(failed.code).getByText('Mended').waitFor();
    const { nextTaskId } = await day.read(failed.id);
    assert.notEqual(nextTaskId, null);
    const { code } = await day.read(nextTaskId!);
    await page.getByText(`The next attempt is ${code}.`).waitFor();

    // Nothing moves while the keyboard is in the list: what comes is counted.
    const late = await api.createTask({ windowEnd: new Date(Date.now() + 1_500).toISOString() });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    assert.deepEqual(await titles(), before);
    await page.keyboard.press('k');
    await page.keyboard.press('u');
    await row('Amina Diallo').getByText('Mended').waitFor();
    await until('the search for another courier begins', async () => {
      const { status, autoAssignmentStatus } = await day.read(kept.id);
      return status === 'awaiting_assignment' && autoAssignmentStatus !== 'not_requested';
    });

    await page.getByRole('button', { name: '1 new' }).click();
    await row(late.code).getByText('No courier has it').waitFor();
    assert.equal((await titles()).length, 1);
    await row(late.code).getByRole('button', { name: 'Look for a courier' }).click();
    await until('the search begins', async () => (await day.read(late.id)).autoAssignmentStatus !== 'not_requested');

    // A finger opens the task wherever it meets the line.
    await page.setViewportSize({ width: 390, height: 844 });
    await row(late.code).click({ position: { x: 20, y: 60 } });
    await page.locator('.panel').getByText(late.code).waitFor();
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);
