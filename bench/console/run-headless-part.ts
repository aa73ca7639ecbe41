import { setTimeout as delay } from 'node:timers/promises';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { Session } from '../../gateway/client/session.ts';
import type { Stand } from '../compare/open-stand.ts';
import { runGenerator } from '../load/run-generator.ts';
import { type CpuWatch, residentMiB, watchCpu } from '../measure/process-cpu.ts';
import { liveAt } from '../mixed/live-at.ts';
import { TaskLives } from '../mixed/task-life.ts';
import { say } from '../report/say.ts';
import { moveAgents, openGround } from './console-ground.ts';
import type { ConsoleOptions } from './console-options.ts';
import type { ConsoleOrder, ConsoleOutcome } from './console-order.ts';
import type { PartResult } from './part-result.ts';

const CONSOLES = new URL('./many-consoles.ts', import.meta.url);
/** Source: the project's goals for the console. */
const MOST_OF_A_CORE = 0.5;
const MOST_LAG_MS = 500;
const LEAST_SECONDS = 10;
/** The least share of the bytes of one stream that any other must have. */
const LEAST_SHARE = 0.9;
/** Until every console is open. */
const OPENING_SECONDS = 300;
/** From the beginning of the load until it is measured. */
const SETTLING_SECONDS = 5;

/** Many consoles of one organization, and the same load without them: the difference is theirs. */
export async function runHeadlessPart(
  stand: Stand,
  options: ConsoleOptions,
  releaser: Releaser,
  signal: AbortSignal,
): Promise<PartResult> {
  const { consoles, programs, points, lives: livesPerSecond, seconds, consoleTasks } = options;
  const { demo } = stand.stores;
  const ground = await openGround('consoles', stand, { agents: points, tasks: consoleTasks }, releaser, signal);
  const { server, agentIds } = ground;
  const session = new Session({ baseUrl: server.baseUrl });
  await session.signIn(demo.orgAdmin);
  const dispatcherToken = async () => (await session.headers())['authorization']!.replace('Bearer ', '');
  const callers = { apiKey: demo.apiKey, dispatcherTokens: [dispatcherToken], agentIds };
  const lives = new TaskLives(server.baseUrl, callers);
  const startLoad = () => {
    const over = new AbortController();
    const isOver = AbortSignal.any([signal, over.signal]);
    releaser.push('load of the consoles', () => over.abort());
    const moving = moveAgents(ground, demo.apiKey, points, { isOver: over.signal, signal });
    const living = keepLiving(lives, livesPerSecond, isOver);
    return async () => {
      over.abort();
      return [...(await moving), ...(await living)];
    };
  };

  let stopLoad = startLoad();
  await delay(SETTLING_SECONDS * 1_000, undefined, { signal });
  const alone = watchCpu({ gateway: [server.pid] });
  await delay(seconds * 1_000, undefined, { signal });
  const aloneShare = alone.read().gateway / seconds;
  const failures = await stopLoad();

  let watch: CpuWatch<'gateway' | 'consoles'> | undefined;
  let [share, consolesShare, mebibytes] = [0, 0, 0];
  const onWindow = (edge: 'start' | 'end', generatorPid: number) => {
    if (edge === 'start') {
      watch = watchCpu({ gateway: [server.pid], consoles: [generatorPid] });
      return;
    }
    const used = watch!.read();
    [share, consolesShare] = [used.gateway / seconds, used.consoles / seconds];
    mebibytes = residentMiB(server.pid);
  };
  const order: ConsoleOrder = {
    baseUrl: server.baseUrl,
    logins: [demo.dispatcher, demo.orgAdmin],
    consoles,
    programs,
    warmUpSeconds: OPENING_SECONDS,
    settlingSeconds: SETTLING_SECONDS,
    seconds,
  };
  // The consoles share a processor: under the load, opening one would wait for the others.
  const onReady = () => {
    stopLoad = startLoad();
  };
  const seen = await runGenerator<ConsoleOutcome>(CONSOLES, order, { signal, onReady, onWindow });
  failures.push(...(await stopLoad()));
  lives.close();
  return judge(seen, { alone: aloneShare, gateway: share, consoles: consolesShare, mebibytes }, options, failures);
}

/** CPU as shares of a core. */
interface Used {
  readonly alone: number;
  readonly gateway: number;
  readonly consoles: number;
  readonly mebibytes: number;
}

function judge(
  seen: ConsoleOutcome,
  used: Used,
  { consoles, programs, seconds }: ConsoleOptions,
  failures: readonly string[],
): PartResult {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  say(
    `${consoles} consoles open after ${seen.openedInSeconds.toFixed(1)} s, ${Math.min(programs, consoles)} with the worker's program; each gets ${(seen.events / seconds).toFixed(0)} changes of tasks a second, ` +
      `and positions ${(seen.positions / seconds).toFixed(1)} times a second; applied after p50 ${seen.lagP50Ms.toFixed(0)}, p95 ${seen.lagP95Ms.toFixed(0)} ms`,
    `of the other streams were read ${kibibytesASecond(seen.leastBytes, seconds)} to ${kibibytesASecond(seen.mostBytes, seconds)} KiB a second`,
    `gateway: ${percent(used.gateway)} of a core with them, ${percent(used.alone)} without, ${used.mebibytes.toFixed(0)} MiB; the consoles: ${percent(used.consoles)}`,
    '',
  );
  const voidReasons = [...failures];
  if (seconds < LEAST_SECONDS) voidReasons.push(`a window of ${seconds} s, at least ${LEAST_SECONDS} s are needed`);
  if (seen.cut > 0) voidReasons.push(`consoles were cut off ${seen.cut} times`);
  if (seen.different > 0) voidReasons.push(`${seen.different} consoles show other open tasks than the first one`);
  if (consoles > programs && seen.leastBytes === 0) voidReasons.push('a stream brought nothing');
  if (seen.leastBytes < seen.mostBytes * LEAST_SHARE) voidReasons.push('some streams were read less than others');
  if (seen.events === 0) voidReasons.push('no console saw a task change');
  const verdicts = [
    {
      claim: `${consoles} consoles cost the gateway at most ${percent(MOST_OF_A_CORE)} of a core`,
      measured: `${percent(used.gateway - used.alone)}, ${percent(used.gateway)} with the load itself`,
      met: used.gateway <= MOST_OF_A_CORE,
    },
    {
      claim: `they are at most ${MOST_LAG_MS} ms behind (p95)`,
      measured: `${seen.lagP95Ms.toFixed(0)} ms`,
      met: seen.lagP95Ms <= MOST_LAG_MS,
    },
  ];
  return { verdicts, voidReasons };
}

function kibibytesASecond(bytes: number, seconds: number): string {
  return (bytes / 1_024 / seconds).toFixed(0);
}

/** Resolves to what went wrong; empty when nothing did. */
async function keepLiving(lives: TaskLives, perSecond: number, isOver: AbortSignal): Promise<string[]> {
  try {
    await liveAt(lives, perSecond, 86_400, isOver);
    return ['the tasks fell behind'];
  } catch (error) {
    return isOver.aborted ? [] : [String(error)];
  }
}
