import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { findChromium } from '../../tests/support/browser.ts';
import { UsageError } from '../stand/run-to-end.ts';

const PATIENCE_MS = 120_000;
const VIEWPORT = { width: 1440, height: 900 };

/** The console in a browser of its own, with the counters that its debugger reads. */
export interface ChromiumPage {
  readonly page: Page;
  /** Faults of scripts, and requests of other origins. */
  readonly troubles: string[];
  /** Bytes that came over the network so far, as they were sent. */
  bytes(): number;
  /** Seconds that the main thread has run so far, without its waits for a core and for the graphics card. */
  busySeconds(): Promise<number>;
  /** Where the main thread spends that much time, in the format that the developer tools of browsers read. */
  profile(seconds: number): Promise<unknown>;
  /** The heaps of the page and of the worker behind it, after garbage was collected. */
  heapMiB(): Promise<{ readonly page: number; readonly worker: number }>;
}

const MIB = 1_048_576;

/** Opens the address in a new browser. Throws UsageError on a machine without Chromium. */
export async function openChromium(releaser: Releaser): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new UsageError('there is no Chromium on the PATH');
  // Root cannot have Chromium's own sandbox. The browser sees our pages only.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-precise-memory-info'] });
  releaser.push('chromium', () => browser.close());
  return browser;
}

export async function openPage(browser: Browser, baseUrl: string): Promise<ChromiumPage> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(baseUrl) && !request.url().startsWith('data:'))
      troubles.push(`asked ${request.url()}`);
  });
  const debug = await context.newCDPSession(page);
  await debug.send('Network.enable');
  let bytes = 0;
  debug.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const all = await browser.newBrowserCDPSession();
  return {
    page,
    troubles,
    bytes: () => bytes,
    busySeconds: () => mainThreadSeconds(all),
    profile: async (seconds) => {
      await debug.send('Profiler.enable');
      await debug.send('Profiler.start');
      await delay(seconds * 1_000);
      return (await debug.send('Profiler.stop')).profile;
    },
    heapMiB: async () => {
      await debug.send('HeapProfiler.collectGarbage');
      const { usedSize } = await debug.send('Runtime.getHeapUsage');
      return { page: usedSize / MIB, worker: (await workerHeap(all)) / MIB };
    },
  };
}

/** The browser has one page, and its renderer has worked the most. The main thread of a process carries its number. */
async function mainThreadSeconds(browser: CDPSession): Promise<number> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  const { id } = renderers.reduce((most, next) => (next.cpuTime > most.cpuTime ? next : most));
  const [ranNs] = readFileSync(`/proc/${id}/task/${id}/schedstat`, 'utf8').split(' ');
  return Number(ranNs) / 1e9;
}

/** The shared worker belongs to no page, so it is asked through the browser. */
async function workerHeap(browser: CDPSession): Promise<number> {
  const { targetInfos } = await browser.send('Target.getTargets');
  const worker = targetInfos.find(({ type }) => type === 'shared_worker');
  if (!worker) throw new Error('the console has no worker');
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId: worker.targetId, flatten: false });
  let calls = 0;
  const ask = (method: string) =>
    new Promise<{ readonly usedSize?: number }>((resolve) => {
      const id = ++calls;
      const listen = (received: { readonly sessionId: string; readonly message: string }) => {
        const answer = JSON.parse(received.message) as { readonly id?: number; readonly result: object };
        if (received.sessionId !== sessionId || answer.id !== id) return;
        browser.off('Target.receivedMessageFromTarget', listen);
        resolve(answer.result);
      };
      browser.on('Target.receivedMessageFromTarget', listen);
      void browser.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    });
  await ask('HeapProfiler.enable');
  await ask('HeapProfiler.collectGarbage');
  const { usedSize } = await ask('Runtime.getHeapUsage');
  await browser.send('Target.detachFromTarget', { sessionId });
  return usedSize!;
}
