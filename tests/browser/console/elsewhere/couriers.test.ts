import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgent } from '../../../api/agents/agent-place.ts';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { openConsole, pressChord, seedDispatcher, signIn } from '../console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();

test('changes of couriers, which no event tells, reach an open console and its picker', WITH_BROWSER, async () => {
  const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
  await api.createTask({ customer: { name: 'Ada Lovelace', phone: '+442079460001' } });
  const zora = await createAgent(api, { name: 'Zora Before', phone: '+442079460002', vehicle: { type: 'bike' } });
  const bruno = await createAgent(api, { name: 'Bruno Costa', phone: '+442079460003' });
  const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
  await signIn(page, await seedDispatcher(fixture, organizationId));
  await page.getByText('Live', { exact: true }).waitFor();
  await pressChord(page, 'g', 'c');
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await row('Zora Before').getByText('Bicycle').waitFor();
  const change = { name: 'Zora After', phone: '+442079460009', vehicle: { type: 'van' } };
  assert.equal((await api.patch(`/agents/${zora.id}`, change)).status, 200);
  assert.equal((await api.patch(`/agents/${bruno.id}`, { isActive: false })).status, 200);
  await row('Zora After').getByText('Van').waitFor();
  await row('Zora After').getByText('+44 2079460009').waitFor();
  await row('Bruno Costa').getByText('Inactive').waitFor();
  await pressChord(page, 'g', 'm');
  await page.locator('.task-row').filter({ hasText: 'Ada Lovelace' }).click();
  await page.keyboard.press('a');
  const picker = page.getByRole('dialog');
  await picker.getByText('Zora After').waitFor();
  assert.equal(await picker.getByText('Bruno Costa').count(), 0);
  assert.deepEqual(troubles, []);
  await page.context().close();
});
