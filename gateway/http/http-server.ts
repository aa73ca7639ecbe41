import { startNodeServer } from './node-server.ts';
import type { HttpServer, HttpServerOptions } from './port.ts';

/**
 * Listens, by uWebSockets.js or by node:http. Where the native binary does not load (no build for this platform or
 * Node), node:http takes its place and a warning is logged. Rejects with ListenError when the port cannot be had.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  if (options.adapter === 'node') return startNodeServer(options);
  native ??= loadNative(options);
  const loaded = await native;
  return loaded ? loaded.startUwsServer(options) : startNodeServer({ ...options, adapter: 'node' });
}

/** Loaded once for all servers of the process, so that the log has one line where it does not load. */
let native: ReturnType<typeof loadNative> | undefined;

async function loadNative({ log }: HttpServerOptions): Promise<typeof import('./uws-server.ts') | undefined> {
  try {
    return await import('./uws-server.ts');
  } catch (error) {
    log.warn(
      { reason: String(error).slice(0, MOST_REASON), remedy: remedyFor(String(error)) },
      'the native HTTP server does not load here; node:http serves instead, at a fraction of the speed',
    );
    return undefined;
  }
}

const MOST_REASON = 500;

/** The binaries for Node 22 and later need a newer C library than the one for Node 20. */
function remedyFor(reason: string): string {
  return reason.includes('GLIBC_')
    ? 'run on Debian 13, Ubuntu 24.04 or another system with glibc 2.38, or with Node 20'
    : 'run Node 20, 22 or 24 on Linux with glibc, on macOS or on Windows';
}
