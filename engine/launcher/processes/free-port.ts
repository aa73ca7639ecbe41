import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { LIMITS } from '../../../schema/limits.ts';
import { LaunchError } from './launch-error.ts';

/** The port went to another process between our looking and the child's listening. */
export class PortTakenError extends Error {}

/** Below the ports that systems give to connections, and to listeners that ask for any: Linux begins at 32768. */
const FIRST_PORT = 30_000;
const PORTS = 2_700;
const TRIES = 27;
/** Each process begins at a random place, so that two that look at the same time find different ports. */
let next = randomInt(PORTS);

/**
 * A port that nobody listened on a moment ago, and that hardly anybody takes before our server does: it would be asked
 * whether it is ready, and somebody else's would answer.
 */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = await listenOnce(FIRST_PORT + (next++ % PORTS), host).catch(() => undefined);
    if (port !== undefined) return port;
  }
  return listenOnce(0, host);
}

/**
 * Throws LaunchError when `port` cannot be listened on. Asked before anything is started, so that a second
 * start fails at once and leaves nothing to undo.
 */
export async function assertPortFree(port: number, host: string): Promise<void> {
  try {
    await listenOnce(port, host);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE') {
      throw new LaunchError(
        `Port ${port} on ${host} is already in use. Stop what listens there, or choose another: PORT=${port + 1} npm start`,
      );
    }
    throw new LaunchError(`Cannot listen on HOST=${host} PORT=${port}: ${(error as Error).message}`);
  }
}

/** `port`, or a free one for 0. Throws LaunchError that names the settings when there is no listening on it. */
export async function settledPort(settings: string, { host, port }: { host: string; port: number }): Promise<number> {
  try {
    return port === 0 ? await findFreePort(host) : await listenOnce(port, host);
  } catch (error) {
    throw new LaunchError(`${settings}: cannot listen on ${host}:${port}: ${(error as Error).message}`);
  }
}

/** Runs `start` on `wanted`, or on a free port, trying others while it fails with PortTakenError. */
export async function onPort<T>(wanted: number | undefined, start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(wanted ?? (await findFreePort()));
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === LIMITS.portAttempts) throw error;
    }
  }
}

function listenOnce(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
