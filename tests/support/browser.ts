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

/** One browser for all tests of a file; undefined on a machine without one. */
export function useBrowser(): { readonly browser: Browser } {
  let browser: Browser | undefined;
  before(async () => {
    // Root, the user of many build machines, cannot have Chromium's own sandbox. The browser sees our pages only.
    if (executablePath) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  after(() => browser?.close());
  return {
    get browser() {
      return browser!;
    },
  };
}
