import { writeFileSync } from 'node:fs';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { Stand } from '../compare/open-stand.ts';
import { say } from '../report/say.ts';
import { percentile } from '../statistics.ts';
import { openChromium, openPage } from './chromium-page.ts';
import { type ConsoleGround, moveAgents, openGround } from './console-ground.ts';
import type { ConsoleOptions } from './console-options.ts';
import { judgeHeap } from './judge-heap.ts';
import {
  measureCommitToPixel,
  measureFirstLoad,
  measureReactions,
  measureUnderLoad,
  type Turned,
} from './measure-page.ts';
import type { PartResult } from './part-result.ts';

/** Source: the project's goals for the console. */
const MOST = { frameMs: 33, busy: 0.4, reactionMs: 100, pixelMs: 500 };

const PROFILE_SECONDS = 10;

/** One console with a screen, over an organization that moves. */
export async function runBrowserPart(
  stand: Stand,
  options: ConsoleOptions,
  releaser: Releaser,
  signal: AbortSignal,
): Promise<PartResult> {
  const { agents, tasks, minutes, reactions: times } = options;
  const { demo } = stand.stores;
  const ground = await openGround('screen', stand, { agents, tasks }, releaser, signal);
  const browser = await openChromium(releaser);
  const over = new AbortController();
  const moving = moveAgents(ground, demo.apiKey, agents, { isOver: over.signal, signal });
  releaser.push('moving agents', () => over.abort());

  const opened = await openPage(browser, ground.server.baseUrl);
  const first = await measureFirstLoad(opened, ground.server.baseUrl, demo.dispatcher);
  say(
    `first load: ${(first.bytes / 1024).toFixed(0)} KiB, the form after ${first.formMs.toFixed(0)} ms; live ${first.liveMs.toFixed(0)} ms after signing in, ` +
      `${first.againMs.toFixed(0)} ms after opening it again`,
  );
  const task = await makeTurned(ground);
  const pixels = await measureCommitToPixel(opened, task, times);
  say(`from commit to pixel, ${times} times: ${timesText(pixels)}`);
  const reactions = await measureReactions(opened, times);
  for (const [kind, all] of Object.entries(reactions)) say(`from key to pixel, ${kind}: ${timesText(all)}`);
  const watched = await measureUnderLoad(opened, minutes, signal);
  const heapText = watched.heaps.map(({ page, worker }) => `${page.toFixed(0)}+${worker.toFixed(0)}`).join(' ');
  say(
    `frames over ${minutes} min: ${timesText(watched.frames)}, ${watched.frames.length} of them`,
    `main thread busy ${(watched.busy * 100).toFixed(1)} %; heap of page + worker each minute, MiB: ${heapText}`,
  );
  if (options.profileFile !== undefined)
    writeFileSync(options.profileFile, JSON.stringify(await opened.profile(PROFILE_SECONDS)));
  over.abort();
  const failures = await moving;

  const slowest = Math.max(...Object.values(reactions).map((all) => percentile(all, 0.95)));
  const atMost = (claim: string, ms: number, most: number) => ({
    claim: `${claim}: p95 at most ${most} ms`,
    measured: `${ms.toFixed(0)} ms`,
    met: ms <= most,
  });
  return {
    verdicts: [
      atMost('a frame', percentile(watched.frames, 0.95), MOST.frameMs),
      {
        claim: `the main thread is busy at most ${MOST.busy * 100} %`,
        measured: `${(watched.busy * 100).toFixed(1)} %`,
        met: watched.busy <= MOST.busy,
      },
      ...judgeHeap(watched.heaps),
      atMost('from key to pixel', slowest, MOST.reactionMs),
      atMost('from commit to pixel', percentile(pixels, 0.95), MOST.pixelMs),
    ],
    voidReasons: [...opened.troubles, ...failures],
  };
}

async function makeTurned({ integration, agentIds }: ConsoleGround): Promise<Turned> {
  const body = {
    name: 'Watched',
    taskType: 'delivery' as const,
    customer: { name: 'Ada Lovelace', phone: '+442079460958' },
    location: { address: 'Main Street', latitude: 52.5, longitude: 13.4 },
    packages: [{ name: 'Books', quantity: 1 }],
  };
  const { data: task } = await integration.post('/tasks', { body });
  const { id, code } = task;
  let isGiven = false;
  return {
    id,
    code,
    async turn() {
      const path = { id };
      const { data } = isGiven
        ? await integration.post('/tasks/{id}/unassign', { path, body: {} })
        : await integration.post('/tasks/{id}/assign', { path, body: { agentId: agentIds[0]! } });
      isGiven = !isGiven;
      return Date.parse(data.updatedAt);
    },
    nextWord: () => (isGiven ? 'Unassigned' : 'Assigned'),
  };
}

function timesText(ascending: readonly number[]): string {
  const [p50, p95, most] = [0.5, 0.95, 1].map((share) => percentile(ascending, share).toFixed(0));
  return `p50 ${p50}, p95 ${p95}, at most ${most} ms`;
}
