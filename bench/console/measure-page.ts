import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { ChromiumPage } from './chromium-page.ts';
import type { HeapReading } from './judge-heap.ts';
import {
  awaitReaction,
  CURSOR,
  PANEL,
  rowShows,
  shownAt,
  TAKE_FRAMES,
  TAKE_REACTION,
  WATCH_FRAMES,
} from './page-scripts.ts';

/** Times are in milliseconds. */
export interface FirstLoad {
  readonly bytes: number;
  readonly formMs: number;
  /** From the click on Sign in until the screen is live. */
  readonly liveMs: number;
  /** The same for a page that is opened again by somebody who is signed in. */
  readonly againMs: number;
}

export interface UnderLoad {
  /** Ascending, in milliseconds. */
  readonly frames: readonly number[];
  /** The share of the time for which the main thread was busy. */
  readonly busy: number;
  /** One reading a minute. */
  readonly heaps: readonly HeapReading[];
}

interface Login {
  readonly email: string;
  readonly password: string;
}

const LIVE = '.connection.live';
const PAUSE_MS = 150;
/** Until the list shows what was found. */
const SEARCH_MS = 600;

export async function measureFirstLoad(
  { page, bytes }: ChromiumPage,
  baseUrl: string,
  { email, password }: Login,
): Promise<FirstLoad> {
  const startedAt = performance.now();
  await page.goto(`${baseUrl}/console`);
  await page.getByLabel('E-mail address').waitFor();
  const formMs = performance.now() - startedAt;
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  const signedInAt = performance.now();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator(LIVE).waitFor();
  const liveMs = performance.now() - signedInAt;
  const loaded = bytes();
  const reloadedAt = performance.now();
  await page.reload();
  await page.locator(LIVE).waitFor();
  return { bytes: loaded, formMs, liveMs, againMs: performance.now() - reloadedAt };
}

/** Watches the page for some minutes, with nobody at the keys. */
export async function measureUnderLoad(
  { page, busySeconds, heapMiB }: ChromiumPage,
  minutes: number,
  signal: AbortSignal,
): Promise<UnderLoad> {
  await page.evaluate(WATCH_FRAMES);
  const frames: number[] = [];
  const heaps = [await heapMiB()];
  let [busy, seconds] = [0, 0];
  for (let minute = 0; minute < minutes; minute++) {
    await page.evaluate(TAKE_FRAMES);
    const [busyBefore, startedAt] = [await busySeconds(), performance.now()];
    await delay(60_000, undefined, { signal });
    busy += (await busySeconds()) - busyBefore;
    seconds += (performance.now() - startedAt) / 1_000;
    frames.push(...(await page.evaluate<number[]>(TAKE_FRAMES)));
    heaps.push(await heapMiB());
  }
  return { frames: frames.sort((a, b) => a - b), busy: busy / seconds, heaps };
}

/** The kinds of reactions, each with its times. */
export async function measureReactions({ page }: ChromiumPage, times: number): Promise<Record<string, number[]>> {
  const all: Record<string, number[]> = { 'next row': [], 'open a task': [], 'close it': [], 'search, a letter': [] };
  await press(page, 'j', `${CURSOR} !== undefined`);
  for (let time = 0; time < times; time++) {
    const before = await page.evaluate<string>(CURSOR);
    all['next row']!.push(await press(page, 'j', `${CURSOR} !== undefined && ${CURSOR} !== '${before}'`));
    all['open a task']!.push(await press(page, 'Enter', `${PANEL} !== null`));
    all['close it']!.push(await press(page, 'Escape', `${PANEL} === null`));
  }
  const search = page.locator('#search');
  await search.focus();
  const count = `document.querySelector('.count').textContent`;
  for (let time = 0; time < times; time++) {
    await search.fill('order');
    await delay(SEARCH_MS);
    const before = await page.evaluate<string>(count);
    all['search, a letter']!.push(await press(page, 'z', `${count} !== ${JSON.stringify(before)}`));
  }
  await leaveSearch(page);
  for (const kind of Object.values(all)) kind.sort((a, b) => a - b);
  return all;
}

async function leaveSearch(page: Page): Promise<void> {
  const found = await page.locator('.count').textContent();
  await page.locator('#search').press('Escape');
  await page.locator('.count').filter({ hasNotText: found! }).waitFor();
}

async function press(page: Page, key: string, isShown: string): Promise<number> {
  await page.evaluate(awaitReaction(isShown));
  await page.keyboard.press(key);
  const ms = await page.evaluate<number>(TAKE_REACTION);
  await delay(PAUSE_MS);
  return ms;
}

/** A task that others give to an agent and take back, in turn. */
export interface Turned {
  readonly id: number;
  readonly code: string;
  /** The word that the console has for the step after the next turn. */
  nextWord(): string;
  /** Resolves to the time of the commit, in milliseconds since 1970. */
  turn(): Promise<number>;
}

/** From the commits of others until the row of the task shows them. */
export async function measureCommitToPixel({ page }: ChromiumPage, task: Turned, times: number): Promise<number[]> {
  await page.locator('#search').fill(task.code);
  await page.locator(`[data-task="${task.id}"]`).waitFor();
  const all: number[] = [];
  for (let time = 0; time < times; time++) {
    const shown = page.evaluate<number>(shownAt(rowShows(task.id, task.nextWord())));
    const committedAtMs = await task.turn();
    all.push((await shown) - committedAtMs);
    await delay(PAUSE_MS);
  }
  await leaveSearch(page);
  return all.sort((a, b) => a - b);
}
