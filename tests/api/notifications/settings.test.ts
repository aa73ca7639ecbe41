import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { signIn } from './notification-place.ts';

const fixture = useGateway();

interface Settings {
  readonly customerMail: { readonly created: boolean; readonly onTheWay: boolean; readonly completed: boolean };
  readonly templates: object;
}

const OFF = { created: false, onTheWay: false, completed: false };

async function admin() {
  const { organizationId } = await fixture.organization();
  const { api, userId } = await signIn(fixture, 'org_admin', organizationId);
  return {
    organizationId,
    userId,
    read: () => api.get<Settings>('/notifications/settings'),
    put: (body: object, headers = {}) => api.put<Settings>('/notifications/settings', body, headers),
    audit: () =>
      withSql(
        fixture.gateway.databaseUrl,
        (sql) => sql`
          SELECT action, record_type, record_id, actor_id, before -> 'customerMail' AS before,
            after -> 'customerMail' AS after
          FROM audit_access WHERE organization_id = ${organizationId} AND action LIKE '%notifications%' ORDER BY id`,
      ),
  };
}

test('no customer is mailed until an administrator says so', async () => {
  const { read } = await admin();
  const { status, body } = await read();
  assert.deepEqual([status, body.data], [200, { customerMail: OFF, templates: {} }]);
});

test('settings are read as they were put, and absent ones are off', async () => {
  const { read, put } = await admin();
  const templates = { onTheWay: { subject: '{{taskCode}} kommt', introduction: 'Hallo {{customerName}}' } };
  const first = await put({ customerMail: { created: true, onTheWay: true }, templates });
  assert.deepEqual(first.body.data, { customerMail: { ...OFF, created: true, onTheWay: true }, templates });
  assert.deepEqual((await read()).body.data, first.body.data);
  const second = await put({ customerMail: { completed: true } });
  assert.deepEqual(second.body.data, { customerMail: { ...OFF, completed: true }, templates: {} });
  assert.deepEqual((await read()).body.data, second.body.data);
});

test('a change is audited with what was before, once', async () => {
  const { organizationId, userId, put, audit } = await admin();
  const on = { ...OFF, onTheWay: true };
  await put({ customerMail: on });
  await put({ customerMail: on });
  const action = 'organization.notifications_updated';
  const record = { action, recordType: 'organization', recordId: organizationId, actorId: userId };
  assert.deepEqual([...(await audit())], [{ ...record, before: OFF, after: on }]);
});

test('settings that are no longer those of If-Match stay as they are', async () => {
  const { read, put } = await admin();
  const { headers } = await read();
  assert.equal((await put({ customerMail: { created: true } }, { 'if-match': headers.etag })).status, 200);
  const late = await put({ customerMail: { completed: true } }, { 'if-match': headers.etag });
  assert.deepEqual([late.status, late.body.code], [412, 'PRECONDITION_FAILED']);
  assert.equal((await read()).body.data.customerMail.created, true);
});

test('of changes at the same time none is lost unseen', async () => {
  const { read, put, audit } = await admin();
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, i) => put({ templates: { created: { subject: `Subject ${i}` } } })),
  );
  assert.ok(replies.every(({ status }) => status === 200 || status === 409));
  const written = replies.filter(({ status }) => status === 200).map(({ body }) => body.data);
  assert.equal((await audit()).length, written.length);
  const { data: last } = (await read()).body;
  assert.ok(
    written.some((one) => JSON.stringify(one) === JSON.stringify(last)),
    'one of them is left',
  );
});

const REFUSED: Readonly<Record<string, object>> = {
  'a switch that is no boolean': { customerMail: { created: 'yes' } },
  'mails that are no object': { customerMail: true },
  'an unknown placeholder': { templates: { created: { subject: 'Hello {{password}}' } } },
  'a subject of two lines': { templates: { created: { subject: 'a\r\nBcc: x@example.com' } } },
};
for (const [what, body] of Object.entries(REFUSED)) {
  test(`the settings refuse ${what}`, async () => {
    const { read, put } = await admin();
    assert.equal((await put(body)).status, 400);
    assert.deepEqual((await read()).body.data.customerMail, OFF);
  });
}
