import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { PATIENCE_MS } from '../support/until.ts';

/** Where the tabs of an application keep their tokens: each its own copy, as a doubled tab does, or all in one place. */
export type TokenKeeping = 'own' | 'shared';

/** Where the application is served, and where the API is. */
export interface Origins {
  readonly origin: string;
  readonly baseUrl: string;
}

/** A tab with an application that knows nothing of the other tabs, and refreshes when a call answers 401. */
export interface Tab {
  signIn(user: { readonly email: string; readonly password: string | undefined }): Promise<void>;
  /** Goes on with the tokens of another tab. */
  takeOver(from: Pick<Tab, 'tokens'>): Promise<void>;
  tokens(): Promise<unknown>;
  /** The `data` of a GET. Rejects when a refresh is refused: the tab is signed out. */
  read<T>(path: string): Promise<T>;
  refresh(): Promise<void>;
  /** How often it has refreshed. */
  refreshes(): Promise<number>;
  /** Opens the organization's stream by `fetch`. */
  openStream(organizationId: number): Promise<void>;
  /** The ids of the tasks whose creation the open stream has reported; rejects when it has ended. */
  streamed(): Promise<number[]>;
  close(): Promise<void>;
}

/** Runs in the page. `api` is where the API is; `keep` is the name of the place that the tabs share, or null. */
const APPLICATION = `
const application = (api, keep) => {
  let own = null;
  const load = () => keep ? JSON.parse(localStorage.getItem(keep)) : own;
  const save = (tokens) => keep ? localStorage.setItem(keep, JSON.stringify(tokens)) : (own = tokens);
  const authorized = () => ({ headers: { authorization: 'Bearer ' + load().accessToken } });
  const post = (path, body) => fetch(api + path,
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const begin = async (path, body) => {
    const reply = await post(path, body);
    if (!reply.ok) throw new Error(path + ' answered ' + reply.status + ' ' + await reply.text());
    save((await reply.json()).data);
  };
  let refreshes = 0;
  const refresh = async () => {
    await begin('/auth/refresh', { refreshToken: load().refreshToken });
    refreshes += 1;
  };
  const ask = async (path) => {
    for (;;) {
      const reply = await fetch(api + path, authorized());
      if (reply.ok) return reply;
      if (reply.status !== 401) throw new Error(path + ' answered ' + reply.status + ' ' + await reply.text());
      await refresh();
    }
  };
  let streamed = '';
  let hasEnded = true;
  return {
    signIn: (user) => begin('/auth/login', user),
    load,
    save,
    refresh,
    refreshes: () => refreshes,
    read: async (path) => (await (await ask(path)).json()).data,
    async openStream(organizationId) {
      const reply = await ask('/realtime/organizations/' + organizationId + '/events?types=task.created');
      const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      const pump = async () => {
        for (let piece; !(piece = await reader.read()).done;) streamed += piece.value;
      };
      hasEnded = false;
      pump().catch(() => {}).finally(() => { hasEnded = true; });
    },
    streamed() {
      if (hasEnded) throw new Error('the stream has ended');
      return [...streamed.matchAll(/^data: (.*"type":"task.created".*)$/gm)].map(([, data]) => JSON.parse(data).data.task.id);
    },
  };
};`;

/** Opens the application at its own origin, which is another than that of the API at `baseUrl`. */
export async function openTab(
  context: BrowserContext,
  { origin, baseUrl }: Origins,
  keeping: TokenKeeping,
): Promise<Tab> {
  const page: Page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const reply = await page.goto(origin);
  assert.equal(reply?.status(), 200);
  assert.notEqual(origin, baseUrl);
  const given = JSON.stringify([`${baseUrl}/api/v1`, keeping === 'shared' ? 'tokens' : null]);
  await page.evaluate(`${APPLICATION}; window.app = application(...${given}); undefined`);
  const run = <T>(call: string) => page.evaluate(`window.app.${call}`) as Promise<T>;
  return {
    signIn: ({ email, password }) => run(`signIn(${JSON.stringify({ email, password })})`),
    takeOver: async (from) => run(`save(${JSON.stringify(await from.tokens())})`),
    tokens: () => run('load()'),
    read: (path) => run(`read(${JSON.stringify(path)})`),
    refresh: () => run('refresh()'),
    refreshes: () => run('refreshes()'),
    openStream: (organizationId) => run(`openStream(${organizationId})`),
    streamed: () => run('streamed()'),
    close: () => page.close(),
  };
}
