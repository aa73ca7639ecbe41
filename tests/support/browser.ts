import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before } from 'node:test';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'chromium-headless-shell', 'google-chrome'];

/** The Chromium of this machine, on its PATH; undefined when it has none. */
function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => existsSync(path));
}

const executablePath = findChromium();

/** For tests that need a browser: why they are left out, where there is none. */
export const WITH_BROWSER = executablePath ? {} : { skip: 'there is no Chromium on the PATH' };

/** One browser for all tests of a file; without one on the machine there is none. */
export function useBrowser(): { readonly browser: Browser } {
  let browser: Browser | undefined;
  before(async () => {
    // Its own sandbox cannot be had by root, whom many build machines run as; it is shown our pages alone.
    if (executablePath) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  after(() => browser?.close());
  return {
    get browser() {
      return browser!;
    },
  };
}
