import { createServer } from 'node:net';

/** Below the ports that systems give to connections and to listeners that ask for any: Linux begins at 32768. */
const FIRST = 10_000;
const PORTS_OF_PROCESS = 20;
const BLOCKS = 1_000;
let reserved = 0;

/**
 * A port for a server that a test stops and starts again at the same address. No other process gets it while the server
 * is down, which could happen to a merely free port.
 */
export async function reservePort(): Promise<number> {
  const first = FIRST + (process.pid % BLOCKS) * PORTS_OF_PROCESS;
  for (let tries = 0; tries < PORTS_OF_PROCESS; tries++) {
    const port = first + (reserved++ % PORTS_OF_PROCESS);
    if (await isFree(port)) return port;
  }
  throw new Error(`all ports from ${first} to ${first + PORTS_OF_PROCESS - 1} are in use`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
