import { startNodeServer } from './node-server.ts';
import type { HttpServer, HttpServerOptions } from './port.ts';

/**
 * Listens, by uWebSockets.js or by node:http. Where the native binary does not load (no build for this platform or
 * Node), node:http takes its place and a warning is logged. Rejects with ListenError when the port cannot be had.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  if (options.adapter === 'node') return startNodeServer(options);
  const native = await loadNative(options);
  return native ? native.startUwsServer(options) : startNodeServer({ ...options, adapter: 'node' });
}

async function loadNative({ log }: HttpServerOptions): Promise<typeof import('./uws-server.ts') | undefined> {
  try {
    return await import('./uws-server.ts');
  } catch (err) {
    log.warn(
      { err },
      'the native HTTP server does not load here; node:http serves instead, at a fraction of the speed',
    );
    return undefined;
  }
}
