import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallerView } from '../../../schema/accounts/caller.ts';
import type { OrganizationView } from '../../../schema/accounts/organization.ts';
import { useGateway } from '../api-fixture.ts';
import type { TrackedList } from '../tracking/tracking-place.ts';

const fixture = useGateway({ organization: { role: 'org_admin' } });

const change = (settings: unknown) =>
  fixture.api.patch<OrganizationView>(`/organizations/${fixture.gateway.organizationId}`, { settings });

test('time zone and contact are kept as sent, shown, and noted in the audit log', async () => {
  const settings = { timeZone: 'Asia/Kolkata', contact: { phone: '+44 20 7946 0958', email: 'help@acme.example' } };
  const { status, body } = await change(settings);
  assert.equal(status, 200);
  assert.deepEqual(body.data.settings, settings);
  const { api, gateway } = fixture;
  const read = await api.get<OrganizationView>(`/organizations/${gateway.organizationId}`);
  assert.deepEqual(read.body.data.settings, settings);
  const { body: log } = await api.get<{ items: { after: OrganizationView }[] }>('/audit-logs?recordType=organization');
  const [latest] = log.data.items;
  assert.deepEqual(latest!.after.settings, settings);
  const cleared = await change({ timeZone: null, contact: null });
  assert.deepEqual(cleared.body.data.settings, {});
});

test('a zone that the IANA database lacks, and a contact that reaches nobody, are refused with all violations', async () => {
  for (const timeZone of ['Europe/Atlantis', '+02:00', '', 'CEST'])
    assert.deepEqual((await change({ timeZone })).body.message, [
      'settings.timeZone must be a time zone of the IANA database, such as Europe/Berlin',
    ]);
  const { status, body } = await change({ timeZone: 7, contact: { phone: '12', email: 'nobody' } });
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'settings.timeZone must be a string',
    'settings.contact.phone must be a possible phone number with its country code',
    'settings.contact.email must be an e-mail address',
  ]);
});

test('a receipt has the times and the contact of its organization', async () => {
  const { api } = fixture;
  const contact = { phone: '+44 20 7946 0958', email: 'help@acme.example' };
  assert.equal((await change({ timeZone: 'Asia/Kolkata', contact })).status, 200);
  const task = await api.createTask({ windowStart: '2031-05-01T20:00:00Z' });
  const { text } = await api.get(`/tasks/${task.id}/print/receipt?width=58mm`);
  assert.match(text, />2031-05-02 01:30</);
  assert.match(text, />Printed \d{4}-\d\d-\d\d \d\d:\d\d\. Times in India Standard Time</);
  for (const way of Object.values(contact)) assert.ok(text.includes(`<p class="small" dir="ltr">${way}</p>`), way);
});

test('/auth/me names the zone to every caller', async () => {
  assert.equal((await change({ timeZone: 'Asia/Kolkata' })).status, 200);
  const { body } = await fixture.api.get<CallerView>('/auth/me');
  assert.equal(body.data.organization?.timeZone, 'Asia/Kolkata');
});

test('the JSON behind a tracking link names the zone and the contact', async () => {
  const { api } = fixture;
  const contact = { phone: null, email: 'help@acme.example' };
  const { body: changed } = await change({ timeZone: 'Asia/Kolkata', contact });
  const task = await api.createTask();
  const { body } = await api.get<TrackedList>(`/tracking/tasks?token=${task.trackingUrl.split('/').at(-1)}`);
  const expected = { name: changed.data.name, timeZone: 'Asia/Kolkata', contact };
  assert.deepEqual(body.data.organization, expected);
});
