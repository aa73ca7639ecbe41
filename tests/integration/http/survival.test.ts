import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../../support/until.ts';
import { HOSTILE } from './hostile-handlers.ts';
import { ADAPTERS, type Adapter } from './http-fixture.ts';
import { get, post, RawClient, talk } from './raw-client.ts';

const SERVER = fileURLToPath(new URL('./stand-in-hostile-server.ts', import.meta.url));

/** A native abort would take the test with it, so the server is a process of its own. */
async function withProcess(
  args: readonly string[],
  body: (port: number, child: ChildProcess) => Promise<void>,
): Promise<void> {
  const child = fork(SERVER, args, { execArgv: ['--import', 'tsx'] });
  const exited = once(child, 'exit');
  try {
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    await body(port, child);
    assert.deepEqual([child.exitCode, child.signalCode], [null, null], 'the server died');
    assert.equal((await talk(port, get('/ok'))).statuses[0], 200);
    await until('the server holds nothing any more', async () => {
      child.send('counts');
      const [counts] = (await once(child, 'message')) as [{ pending: number; streams: number }];
      return counts.pending === 0 && counts.streams === 0;
    });
  } finally {
    child.kill();
    await exited;
  }
}

/** A client's view of each wrong handler. */
const expectedStatus = (path: string): number => {
  if (path === '/never-answers') return 503;
  if (path === '/reads-too-much-and-goes-on' || path === '/ignores-its-body') return 413;
  return /ok|^\/(answers-(twice|then)|streams-)|when-gone/.test(path) ? 200 : 500;
};

for (const adapter of ADAPTERS satisfies readonly Adapter[]) {
  describe(`a wrong handler (${adapter})`, () => {
    it(`a wrong handler (${adapter}) gets its client an answer and never ends the process`, async () => {
      await withProcess([adapter], async (port) => {
        const paths = Object.keys(HOSTILE);
        const answers = await Promise.all(paths.map((path) => talk(port, post(path, 'abcdef'))));
        const seen = Object.fromEntries(answers.map(({ statuses }, i) => [paths[i], statuses]));
        assert.deepEqual(seen, Object.fromEntries(paths.map((path) => [path, [expectedStatus(path)]])));
        assert.ok(answers.every(({ text }) => !/second|x: y|c: d/.test(text)));
      });
    });

    it(`a wrong handler (${adapter}) does not end the process when its client leaves at any moment`, async () => {
      await withProcess([adapter], async (port) => {
        const clients: RawClient[] = [];
        for (const path of Object.keys(HOSTILE)) {
          for (const [cut, afterMs] of [
            [1, 0],
            [1, 10],
            [0, 0],
            [0, 1],
            [0, 10],
          ] as const) {
            const client = new RawClient(port);
            const request = post(path, 'abcdef');
            client.send(request.slice(0, request.length - cut));
            client.socket.once('connect', () => setTimeout(() => client.end(), afterMs));
            clients.push(client);
          }
        }
        assert.ok(await clients[0]!.until(() => clients.every(({ closed }) => closed)));
      });
    });

    it(`a wrong handler (${adapter}) gets an answer even when what words the answer throws`, async () => {
      await withProcess([adapter, 'refusals'], async (port) => {
        assert.deepEqual((await talk(port, get('/throws'))).statuses, [500]);
        assert.deepEqual((await talk(port, get('/never-answers'))).statuses, [503]);
        assert.deepEqual((await talk(port, get(`/${'a'.repeat(5_000)}`))).statuses, [414]);
      });
    });
  });
}
