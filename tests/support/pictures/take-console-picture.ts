import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { findChromium } from '../browser.ts';

/**
 * Takes the picture of README.md from a running instance: `npm start` and `npm run simulate` in other terminals, then
 * `npm run picture`. It shows the first courier with stops.
 */
const OUT = 'docs/images/console.png';
const SETTLE_MS = 4_000;

const demo = JSON.parse(readFileSync(join(process.env['DATA_DIR'] ?? '.data', 'demo.json'), 'utf8')) as {
  readonly baseUrl: string;
  readonly dispatcher: { readonly email: string; readonly password: string };
};
const executablePath = findChromium();
if (!executablePath) throw new Error('there is no Chromium on the PATH');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${demo.baseUrl}/console`);
  await page.getByLabel('E-mail address').fill(demo.dispatcher.email);
  await page.getByLabel('Password', { exact: true }).fill(demo.dispatcher.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Fold Unassigned' }).click();
  const courier = page.locator('.group-row .name').first();
  await courier.click();
  await page.locator('.task-row').first().click();
  await page.getByRole('button', { name: 'Show everything' }).click();
  await page.mouse.move(1_200, 880);
  await delay(SETTLE_MS);
  await page.screenshot({ path: OUT });
} finally {
  await browser.close();
}
