/**
 * Gives modules of the console the page that they look for when they are loaded: the worker behind `port`, and a browser
 * that keeps nothing. To be called before they are imported.
 */
export function openPage(port: object = {}): void {
  Object.assign(globalThis, {
    LIVE_WORKER_URL: 'live.js',
    SharedWorker: class {
      readonly port = port;
    },
    localStorage: { getItem: () => null },
    addEventListener: () => undefined,
  });
}
