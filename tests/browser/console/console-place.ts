import assert from 'node:assert/strict';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiFixture } from '../../api/api-fixture.ts';
import { taskInput } from '../../support/api-client.ts';
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

const LAPTOP = { width: 1440, height: 900 };

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
  const calm = { viewport: LAPTOP, reducedMotion: 'reduce' } as const;
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

/**
 * The page of one dispatcher of the organization that the file got with its gateway, for tests that need no sign-in of
 * their own: the first signs in, and each finds the console loaded again, with nothing that the one before left on it.
 */
export function useConsolePage(
  chrome: { readonly browser: Browser },
  fixture: ApiFixture,
): (options?: PageOptions) => Promise<ConsolePage> {
  let kept: ConsolePage | undefined;
  return async ({ path = '/console', viewport = LAPTOP, forcedColors = 'none' } = {}) => {
    const { baseUrl, organizationId } = fixture.gateway;
    if (!kept) {
      kept = await openConsole(chrome.browser, baseUrl, { path, viewport, forcedColors });
      await signIn(kept.page, await seedDispatcher(fixture, organizationId));
    } else {
      const { page, troubles } = kept;
      troubles.length = 0;
      // A list that a pointer rests on holds still.
      await page.mouse.move(0, 0);
      await page.setViewportSize(viewport);
      await page.emulateMedia({ forcedColors });
      await page.goto(`${baseUrl}${path}`);
    }
    await kept.page.getByRole('navigation', { name: 'Views' }).waitFor();
    return kept;
  };
}

export interface PageOptions {
  readonly path?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly forcedColors?: 'active' | 'none';
}

/** Creates so many tasks by one request. Returns their ids. */
export async function createMany(api: ApiFixture['api'], count: number): Promise<number[]> {
  const customerOf = (at: number) => ({ name: 'Many', phone: `+44207946${1_000 + at}` });
  const tasks = Array.from({ length: count }, (_, at) => taskInput({ name: `Task ${at}`, customer: customerOf(at) }));
  const { body, text } = await api.post<{ created: number; items: { task: TaskView }[] }>('/tasks/batch', { tasks });
  assert.equal(body.data?.created, count, text);
  return body.data.items.map(({ task }) => task.id);
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
