import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { createLog } from '../../engine/runtime/log.ts';
import { createRandomSource } from '../../engine/runtime/random.ts';
import { createMailStore } from '../../engine/store/accounts/mail-store.ts';
import type { AccountView } from '../../schema/accounts/user.ts';
import { createMailTransport } from '../../workers/notifications/mail-transport.ts';
import { startMailer } from '../../workers/notifications/mailer.ts';
import { createAgent } from '../api/agents/agent-place.ts';
import { useGateway } from '../api/api-fixture.ts';
import { ask } from '../api/auth/auth-client.ts';
import { type ReadMail, readMail } from '../integration/workers/mail/received-mail.ts';
import { useBrowser, WITH_BROWSER } from '../support/browser.ts';
import { withSql } from '../support/seeds/seed.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const fixture = useGateway({ own: 'it sends the mails of all organizations', organization: { role: 'org_admin' } });
const chrome = useBrowser();
const outbox = mkdtempSync(join(tmpdir(), 'outbox-'));
after(() => rmSync(outbox, { recursive: true, force: true }));

const PASSWORD = 'a few easy words';
const PHONE = { viewport: { width: 390, height: 844 }, javaScriptEnabled: false };

/** Everything that was asked for, sent into the outbox; the mail to this address. */
async function mailTo(address: string): Promise<ReadMail> {
  const { databaseUrl, baseUrl } = fixture.gateway;
  await withSql(databaseUrl, async (sql) => {
    const mailer = startMailer({
      store: createMailStore(sql),
      send: createMailTransport({
        smtpUrl: undefined,
        from: 'dispatch@example.com',
        outbox,
        clock: systemClock,
        random: createRandomSource(),
      }),
      publicUrl: baseUrl,
      clock: systemClock,
      scheduler: systemScheduler,
      log: createLog('workers', 'silent'),
    });
    await until('all mails are sent', async () => (await sql`SELECT FROM mail_requests`).length === 0);
    await mailer.stop();
  });
  const files = readdirSync(outbox).map((name) => readFileSync(join(outbox, name), 'latin1'));
  return files.map(readMail).findLast(({ headers }) => headers.get('to') === address)!;
}

/** The one link of a mail, the same in both of its parts. */
function linkIn({ text, html }: ReadMail): string {
  const [links, htmlLinks] = [text, html!].map((part) => part.match(/https?:\/\/[^\s"<]+/g));
  assert.equal(links?.length, 1);
  assert.deepEqual(htmlLinks, links);
  return links![0]!;
}

async function open(url: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await chrome.browser.newPage({ ...PHONE, colorScheme });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(url);
  const { scrollWidth, height } = await page.evaluate<{ scrollWidth: number; height: number }>(
    '({ scrollWidth: document.documentElement.scrollWidth, height: document.querySelector("button").offsetHeight })',
  );
  assert.equal(scrollWidth, PHONE.viewport.width);
  assert.ok(height >= 44, `a button of ${height} px is hard to hit`);
  return page;
}

const title = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
const signIn = async (email: string, password: string) => (await ask(fixture.api, 'login', { email, password })).status;

async function choosePassword(page: Page, password: string, again = password): Promise<void> {
  await page.getByLabel('New password').fill(password);
  await page.getByLabel('The same once more').fill(again);
  await page.getByRole('button', { name: 'Save password' }).click();
}

test('a new user follows the mail, chooses a password, and signs in', WITH_BROWSER, async () => {
  const email = 'grace@test.example';
  const made = await fixture.api.post<AccountView>('/users', { email, name: 'Grace Hopper', role: 'dispatcher' });
  assert.equal(made.status, 201);
  const mail = await mailTo(email);
  assert.match(mail.headers.get('subject')!, /^Welcome to Test organization/);
  const page = await open(linkIn(mail), 'dark');
  assert.equal(await title(page), 'Choose your password');
  await choosePassword(page, PASSWORD, 'something else');
  await page.getByRole('alert').getByText('are not the same').waitFor();
  await choosePassword(page, PASSWORD);
  assert.equal(await title(page), 'Your password is saved');
  assert.equal(await signIn(email, PASSWORD), 200);
  await page.goto(linkIn(mail));
  assert.equal(await title(page), 'This link does not work any more');
  await page.close();
});

test('a new driver follows the mail and signs in', WITH_BROWSER, async () => {
  const { user } = await createAgent(fixture.api);
  const page = await open(linkIn(await mailTo(user.email!)));
  await choosePassword(page, PASSWORD);
  assert.equal(await signIn(user.email!, PASSWORD), 200);
  await page.close();
});

test(
  'a user whose password was given confirms the address, and a forgotten password is replaced',
  WITH_BROWSER,
  async () => {
    const email = 'ada@test.example';
    const user = { email, name: 'Ada', role: 'dispatcher', password: 'the first password' };
    assert.equal((await fixture.api.post('/users', user)).status, 201);
    assert.equal(await signIn(email, user.password), 403);
    const page = await open(linkIn(await mailTo(email)));
    await page.getByRole('button', { name: 'Confirm address' }).click();
    assert.equal(await title(page), 'Your address is confirmed');
    assert.equal(await signIn(email, user.password), 200);

    await page.goto(`${fixture.gateway.baseUrl}/account/reset`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    assert.equal(await title(page), 'Check your mail');
    await page.goto(linkIn(await mailTo(email)));
    await choosePassword(page, PASSWORD);
    assert.deepEqual([await signIn(email, user.password), await signIn(email, PASSWORD)], [401, 200]);
    await page.close();
  },
);
