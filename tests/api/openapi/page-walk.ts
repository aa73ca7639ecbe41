import { issueToken } from '../../../engine/store/accounts/user-token-store.ts';
import { beginningOf } from '../../support/contract/beginning-of.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { firstMessages } from './first-messages.ts';
import { type Cast, idOf, ORDER, PASSWORD, tokenOf } from './walk-cast.ts';

/** The pages for people, and the files beside them. The agent brings a task to a customer who watches. */
export async function walkPages(cast: Cast, agentId: number, earlierTaskId: number): Promise<void> {
  const taskId = await walkTracking(cast, agentId);
  await cast.admin('GET', `/tasks/${taskId}/print/receipt`);
  await cast.admin('GET', `/tasks/print/receipts?ids=${earlierTaskId},${taskId}&width=58mm`);
  await walkAccounts(cast);
  for (const path of FILES) await cast.recorder.open(path);
  await cast.recorder.send({ method: 'GET', path: '/console/map.pmtiles', headers: { range: 'bytes=0-126' } });
  const { text } = await cast.recorder.open('/console');
  await cast.recorder.open(/"(\/console\/assets\/[^"]+\.css)"/.exec(text)![1]!);
}

/** Pages and files without a record. */
const FILES = [
  '/',
  '/favicon.ico',
  '/docs',
  '/docs/guides',
  '/docs/guides/streams',
  '/console/',
  '/console/board',
  '/console/board/',
  '/console/board/1',
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/asyncapi.json',
  '/client.tgz',
];

/** Returns the task. */
async function walkTracking({ admin, fixture, recorder }: Cast, agentId: number): Promise<number> {
  const task = await admin('POST', '/tasks', { ...ORDER, name: 'A parcel' });
  const [id, page] = [idOf(task), `/t/${tokenOf(task)}`];
  await admin('POST', `/tasks/${id}/assign`, { agentId });
  for (const status of ['accepted', 'in_transit']) await admin('PUT', `/tasks/${id}/status`, { status });
  await recorder.open(page);
  const { status, text } = await firstMessages(`${fixture.gateway.baseUrl}${page}/events`, 1);
  recorder.keep('GET', `${page}/events`, { status, media: 'text/event-stream', response: beginningOf(text) });
  await admin('PUT', `/tasks/${id}/status`, { status: 'completed' });
  await recorder.submit(`${page}/rating`, { taskId: `${id}`, score: '5', comment: 'Friendly and on time' });
  return id;
}

async function walkAccounts({ admin, fixture, recorder }: Cast): Promise<void> {
  const email = 'alan@example.com';
  await admin('POST', '/users', { name: 'Alan Turing', email, role: 'dispatcher' });
  const passwords = { password: PASSWORD, again: PASSWORD };
  for (const [page, purpose, fields] of [
    ['verify', 'verify_email', {}],
    ['welcome', 'welcome', passwords],
    ['reset', 'reset_password', passwords],
  ] as const) {
    const issued = await withSql(fixture.gateway.databaseUrl, (sql) => issueToken(sql, purpose, email, Date.now()));
    const token = issued!.token!;
    await recorder.open(`/account/${page}?token=${token}`);
    await recorder.submit(`/account/${page}`, { token, ...fields });
  }
}
