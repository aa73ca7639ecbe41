import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createApiClient } from '../support/api-client.ts';
import { useBrowser, WITH_BROWSER } from '../support/browser.ts';
import { createTestPlace, startTestGateway, type TestPlace } from '../support/system/gateway.ts';
import { startOtherOrigin } from './other-origin.ts';

/** A page of another origin asks the API in a real browser (docs/contract.md §1 "Other origins"). */

const chrome = useBrowser();
const origin = await startOtherOrigin();
let place: TestPlace;

before(async () => {
  place = await createTestPlace();
});
after(() => place.drop());

/** Runs a gateway, and a page of the other origin that knows where it is and has a key. */
async function onPage(
  environment: Readonly<Record<string, string>>,
  body: (page: Page, asked: { readonly api: string; readonly key: string }) => Promise<void>,
): Promise<void> {
  const gateway = await startTestGateway({ place, environment });
  const page = await chrome.browser.newPage();
  try {
    await page.goto(origin);
    await body(page, { api: `${gateway.baseUrl}/api/v1`, key: gateway.key });
  } finally {
    await page.close();
    await gateway.stop();
  }
}

/** Opens the stream with fetch and returns the name of its first event. */
async function firstEventOf({ api, key }: { readonly api: string; readonly key: string }): Promise<string> {
  const leaving = new AbortController();
  const response = await fetch(`${api}/realtime/me/events`, { headers: { 'x-api-key': key }, signal: leaving.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ; ) {
    const { value, done } = await reader.read();
    text += value ?? '';
    const name = /^event: (.*)$/m.exec(text)?.[1];
    if (name === undefined && !done) continue;
    leaving.abort();
    return name ?? 'none';
  }
}

test(
  'a page of a listed origin reads a list, its headers and the stream, and sends a change',
  WITH_BROWSER,
  async () => {
    await onPage({ CORS_ORIGINS: origin }, async (page, asked) => {
      const client = createApiClient({ baseUrl: asked.api.replace('/api/v1', ''), key: asked.key });
      await client.createTask({ code: 'SHOWN' });
      client.close();
      const seen = await page.evaluate(async ({ api, key }) => {
        const headers = { 'x-api-key': key };
        const names = ['etag', 'ratelimit', 'ratelimit-policy', 'x-correlation-id', 'idempotency-replayed'];
        const readable = (response: Response) => names.filter((name) => response.headers.has(name));
        const list = await fetch(`${api}/tasks?limit=5`, { headers });
        const { data } = (await list.json()) as { data: { items: { id: number; code: string }[] } };
        const url = `${api}/tasks/${data.items[0]!.id}`;
        const one = await fetch(url, { headers });
        const change = () =>
          fetch(url, {
            method: 'PATCH',
            headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'page', 'if-match': '*' },
            body: '{"notes":"From a page"}',
          });
        const changed = [(await change()).status, readable(await change())];
        const refused = await fetch(`${api}/tasks?stauts=new`, { headers });
        return {
          codes: data.items.map(({ code }) => code),
          list: readable(list),
          one: readable(one),
          changed,
          refused: (await refused.json()) as { message: string[] },
        };
      }, asked);
      const always = ['ratelimit', 'ratelimit-policy', 'x-correlation-id'];
      assert.deepEqual(
        { ...seen, refused: seen.refused.message },
        {
          codes: ['SHOWN'],
          list: always,
          one: ['etag', ...always],
          changed: [200, ['etag', ...always, 'idempotency-replayed']],
          refused: ['stauts is not a parameter of this call; did you mean status?'],
        },
      );
      assert.equal(await page.evaluate(firstEventOf, asked), 'stream.ready');
    });
  },
);

for (const environment of [{}, { CORS_ORIGINS: 'https://console.example.com' }]) {
  const which = 'CORS_ORIGINS' in environment ? 'of an origin that is not listed' : 'without the setting';
  test(`a page of another origin reads nothing ${which}`, WITH_BROWSER, async () => {
    await onPage(environment, async (page, asked) => {
      const failures = await page.evaluate(async ({ api, key }) => {
        const requests = [
          fetch(`${api}/tasks`, { headers: { 'x-api-key': key } }),
          fetch(`${api}/realtime/me/events`, { headers: { 'x-api-key': key } }),
          fetch(`${api}/tasks`),
        ];
        const outcomes = await Promise.allSettled(requests);
        return outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : 'read'));
      }, asked);
      assert.deepEqual(failures, Array(3).fill('TypeError: Failed to fetch'));
    });
  });
}
