import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSupervisor } from '../../../engine/launcher/processes/supervisor.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { until } from '../../support/until.ts';

test('a service that ends again and again is given up after a bounded number of restarts', async () => {
  const { supervisor, starts, givenUp } = superviseFake({ lastsMs: 1 });
  await supervisor.start();
  await until('giving up', () => givenUp.length > 0);
  assert.equal(starts(), 1 + LIMITS.restartsPerMinute);
  assert.match(givenUp[0] ?? '', /^fake exited, for the 6th time within a minute$/);
  assert.equal(givenUp.length, 1);
});

test('a restart that fails counts as an end and is tried again', async () => {
  const { supervisor, starts, said, stopped } = superviseFake({ lastsMs: 60_000, failsAt: [2, 3] });
  const service = await supervisor.start();
  service.end();
  await until('the service to be back', () => said.includes('fake is back (process 4)'));
  assert.equal(starts(), 4);
  await supervisor.stop();
  assert.deepEqual(stopped, [4]);
});

test('a first start that fails is not tried again', async () => {
  const { supervisor, starts } = superviseFake({ lastsMs: 60_000, failsAt: [1] });
  await assert.rejects(supervisor.start(), /start 1 failed/);
  assert.equal(starts(), 1);
});

test('a stop during the pause before a restart prevents it', async () => {
  const { supervisor, starts, said } = superviseFake({ lastsMs: 60_000 });
  const service = await supervisor.start();
  service.end();
  await until('the end to be noticed', () => said.length > 0);
  await supervisor.stop();
  await new Promise((resolve) => setTimeout(resolve, 2 * LIMITS.firstRestartPauseMs));
  assert.equal(starts(), 1);
});

/** Services are numbered by their start; `failsAt` names the starts that fail. */
function superviseFake({ lastsMs, failsAt = [] }: { lastsMs: number; failsAt?: number[] }) {
  const said: string[] = [];
  const givenUp: string[] = [];
  const stopped: number[] = [];
  let starts = 0;
  const supervisor = createSupervisor({
    name: 'fake',
    say: (message) => said.push(message),
    onGivenUp: (message) => givenUp.push(message),
    async open() {
      starts += 1;
      if (failsAt.includes(starts)) throw new Error(`start ${starts} failed`);
      const pid = starts;
      let end = () => {};
      const ended = new Promise<string>((resolve) => {
        const timer = setTimeout(() => resolve('exited'), lastsMs);
        end = () => {
          clearTimeout(timer);
          resolve('exited');
        };
      });
      const stop = async () => {
        stopped.push(pid);
        end();
      };
      return { pid, ended, end, stop, kill: end };
    },
  });
  return { supervisor, starts: () => starts, said, givenUp, stopped };
}
