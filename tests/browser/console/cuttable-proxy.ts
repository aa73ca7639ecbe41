import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between a browser and a gateway that can be cut. */
export interface CuttableProxy {
  readonly baseUrl: string;
  /** The target of each request so far. */
  readonly asked: readonly string[];
  /** Ends every connection, and refuses new ones until `mend`. */
  cut(): void;
  /** Loses every byte until `mend`, as a black hole does: nothing ends, and nothing is refused. */
  freeze(): void;
  /** Ends every connection that asks the API, until `mend`; pages and their files still come. */
  cutApi(): void;
  /** Ends each connection as soon as the answer to a request of this path comes: what it asked for is done. */
  loseAnswersTo(path: string): void;
  mend(): void;
  close(): void;
}

/** A browser begins each request in a piece of its own. */
const REQUEST_LINE = /^[A-Z]+ (\S+) HTTP\/1\.1\r\n/;

export async function startCuttableProxy(target: string): Promise<CuttableProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let fault: 'none' | 'cut' | 'frozen' | 'no-api' = 'none';
  let lost: string | undefined;
  const asked: string[] = [];
  const server = createServer((near) => {
    if (fault === 'cut') return near.destroy();
    const far = connect(Number(port), hostname);
    let isLost = false;
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      // The other side learns of it by its own end.
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.on('data', (bytes) => {
        const target = socket === near && REQUEST_LINE.exec(bytes.toString('latin1'))?.[1];
        if (target) asked.push(target);
        if (socket === near && lost !== undefined) isLost ||= bytes.includes(` ${lost} `);
        if (socket === far && isLost) near.destroy();
        else if (fault === 'no-api' && bytes.includes(' /api/')) near.destroy();
        else if (fault !== 'frozen') other.write(bytes);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    cut() {
      fault = 'cut';
      destroyAll();
    },
    freeze() {
      fault = 'frozen';
    },
    cutApi() {
      fault = 'no-api';
    },
    loseAnswersTo(path) {
      lost = path;
    },
    mend() {
      fault = 'none';
      lost = undefined;
    },
    close() {
      server.close();
      destroyAll();
    },
  };
}
