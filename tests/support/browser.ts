import { after, before } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './installed-programs.ts';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The Chromium on the PATH of this machine; undefined when there is none. */
export function findChromium(): string | undefined {
  return findProgram(...NAMES);
}

const executablePath = findChromium();

/** The reason to skip tests that need a browser, on a machine without one. */
export const WITH_BROWSER = executablePath ? {} : { skip: 'there is no Chromium on the PATH' };

/** How long a browser waits for the next file of its process: to launch one takes as long as many a test. */
const LINGER_MS = 500;

let launched: Browser | undefined;
let closing: NodeJS.Timeout | undefined;

/** The browser of this process, for all tests of a file; undefined on a machine without one. */
export function useBrowser(): { readonly browser: Browser } {
  before(async () => {
    clearTimeout(closing);
    // Root, the user of many build machines, cannot have Chromium's own sandbox. The browser sees our pages only.
    if (executablePath && !launched?.isConnected())
      launched = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  after(async () => {
    const browser = launched;
    // Pages that a test left open would go on beside the next file.
    for (const context of browser?.contexts() ?? []) await context.close();
    closing = setTimeout(() => {
      // A file that comes while it closes launches another one.
      launched = undefined;
      return browser?.close();
    }, LINGER_MS);
  });
  return {
    get browser() {
      return launched!;
    },
  };
}
