import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** Serves an empty page of another origin than the gateway's, until the tests of the file are over. Returns its origin. */
export async function startOtherOrigin(): Promise<string> {
  const pages = createServer((_request, response) => response.end('<!doctype html><title>Console</title>'));
  await once(pages.listen(0, '127.0.0.1'), 'listening');
  after(() => {
    pages.close();
    pages.closeAllConnections();
  });
  return `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
}
