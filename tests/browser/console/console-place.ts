import assert from 'node:assert/strict';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { ApiFixture } from '../../api/api-fixture.ts';
import { seedUser } from '../../support/seeds/seed.ts';
import { PATIENCE_MS, until } from '../../support/until.ts';
import { loadAxe } from '../load-axe.ts';

export const PASSWORD = 'correct horse battery staple';

/** A page of the console, with everything on it that went wrong: faults of scripts, and what the policy refused. */
export interface ConsolePage {
  readonly page: Page;
  readonly troubles: string[];
}

export interface ConsoleOptions extends BrowserContextOptions {
  /** Whether the browser can draw the map. Without a graphics card that is more work than all the rest of the console. */
  readonly drawsMap?: boolean;
  /** The address that the page is opened at, as a kept link does. */
  readonly path?: string;
}

/** A browser without WebGL: the console says that it cannot draw the map, and the rest goes on. */
const NO_WEBGL = `{
  const canvas = HTMLCanvasElement.prototype;
  const { getContext } = canvas;
  canvas.getContext = function (kind, ...given) {
    return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...given);
  };
}`;

/** The page before anyone has signed in, in a browser that draws the map only where a test says so. */
export async function openConsole(
  browser: Browser,
  baseUrl: string,
  { drawsMap = false, path = '/console', ...options }: ConsoleOptions = {},
): Promise<ConsolePage> {
  // A colour on its way from one theme to the other is neither.
  const calm = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;
  const context = await browser.newContext({ ...calm, ...options });
  if (!drawsMap) await context.addInitScript(NO_WEBGL);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(baseUrl)) troubles.push(`asked ${request.url()}`);
  });
  await page.goto(`${baseUrl}${path}`);
  return { page, troubles };
}

export async function signIn(page: Page, user: { readonly email: string }, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail address').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export function seedDispatcher({ gateway }: ApiFixture, organizationId: number): Promise<{ readonly email: string }> {
  return seedUser(gateway.databaseUrl, organizationId, 'dispatcher', PASSWORD);
}

/**
 * Presses two keys as one hand does. The second does not wait until the page has handled the first: on a slow machine the time that a
 * chord has would run out.
 */
export async function pressChord(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}

/** A picture of the page costs as much as a drawing of the map, which is busy with nothing else when it comes more often. */
const LOOK_EVERY_MS = 250;

/** Looks at the page again and again until it is as it should be: for pictures of it, and clicks on the map. */
export function untilSeen(what: string, isSo: () => Promise<boolean>): Promise<void> {
  return until(what, isSo, LOOK_EVERY_MS);
}

/** The controls in sight that a finger would miss, by name: 44 pixels is what a finger needs. */
export function targetsTooSmall(page: Page): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`[...document.querySelectorAll('button, a, select, summary, textarea, input:not([type=radio], [type=checkbox])')]
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && (box.width < 43.5 || box.height < 43.5))
    .map(({ element, box }) => (element.ariaLabel || element.textContent || element.id) + ' ' + box.width + ' × ' + box.height)`);
}

/** Asserts that axe finds no violation of WCAG 2.2 AA. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  await loadAxe(page);
  const violations = await page.evaluate<string[]>(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    resultTypes: ['violations'],
  }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) =>
    id + ' ' + html.slice(0, 160) + ' ' + any.map(({ message }) => message).join(' '))))`);
  assert.deepEqual(violations, [], where);
}
