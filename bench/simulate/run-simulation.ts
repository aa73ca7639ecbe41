import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findDemoFacts } from '../../engine/launcher/demo-facts.ts';
import type { DemoOrganization } from '../../engine/launcher/demo-organization.ts';
import { findStoreFacts } from '../../engine/launcher/store-facts.ts';
import { DispatchError } from '../../gateway/client/dispatch-error.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';
import { UsageError } from '../stand/run-to-end.ts';
import { City, type Degrees } from './city.ts';
import { type AgentSession, Driver } from './driver.ts';
import { enrolAgents } from './enrol-agents.ts';
import { Fleet } from './fleet.ts';
import { inParallel } from './in-parallel.ts';
import { issueSessions, logIn, refreshSession } from './open-sessions.ts';
import { type Shown, showProgress, summaryLines, summaryObject } from './progress-display.ts';
import type { SimulateOptions } from './simulate-options.ts';
import { SimulatorApi } from './simulator-api.ts';
import { StreamWatch } from './stream-watch.ts';
import { Tally } from './tally.ts';
import { type Stage, TaskFlow } from './task-flow.ts';
import { Traveller, VEHICLES } from './traveller.ts';

/** For each agent so much room that the next free one is some minutes away at most. */
const METRES_PER_AGENT = 300;
const SMALLEST_CITY_METRES = 1_500;
const LARGEST_CITY_METRES = 30_000;
const AT_A_TIME = 16;
/** How long a simulation may take to leave things in order. */
const TIDY_MS = 8_000;
/** Keeps what an agent draws apart from what the others draw. */
const AGENT_SEED_STEP = 7_919;

/** Simulates until `signal` is aborted or the time is over. Resolves to the exit code. */
export async function runSimulation(
  options: SimulateOptions,
  databaseUrl: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  const demo = findDemoFacts(options.demoFile);
  if (!demo)
    throw new UsageError(`${options.demoFile} is not there: \`npm start\` writes it, or say with --demo where it is.`);
  const target = new URL(options.baseUrl ?? demo.baseUrl);
  const over = new AbortController();
  const ending = AbortSignal.any([signal, over.signal]);
  const tally = new Tally();
  const api = new SimulatorApi(target, tally, ending);
  const output = options.json ? process.stderr : process.stdout;
  const tell = (line: string) => {
    if (!options.quiet) output.write(`${line}\n`);
  };
  const database = databaseUrl ?? (options.baseUrl === undefined ? notedDatabase(options.demoFile) : undefined);
  const shown = { title: `${options.agents} agents on ${target.origin}`, tally, open: new Map<number, Stage>() };
  try {
    const sessions = await signIn(options, demo, database, api, tell);
    const drivers = await makeDrivers(options, demo, sessions, { api, target, tally });
    tell(`${drivers.length} agents go on duty`);
    await inParallel(drivers, AT_A_TIME, (driver) => putOnDuty(api, driver, tally, true));
    await drive(options, { demo, drivers, api, target, tally, shown, output, ending, over });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    api.close();
  }
  const lines = options.json ? [JSON.stringify(summaryObject(shown), undefined, 2)] : summaryLines(shown);
  process.stdout.write(`${lines.join('\n')}\n`);
  return tally.errorCount > 0 ? 1 : 0;
}

/** Where `npm start` keeps its database, as noted beside the demo's file. */
function notedDatabase(demoFile: string): string | undefined {
  return findStoreFacts(join(dirname(demoFile), 'stores.json'))?.databaseUrl;
}

async function signIn(
  { agents, seed, demoFile }: SimulateOptions,
  demo: DemoOrganization,
  databaseUrl: string | undefined,
  api: SimulatorApi,
  tell: (line: string) => void,
): Promise<AgentSession[]> {
  // Values drawn for new agents are not drawn again by a later simulation that creates more of them.
  const draw = seededNumbers(seed + Date.now());
  const onProgress = (made: number, wanted: number) => tell(`${made} of ${wanted} missing agents made`);
  const logins = await enrolAgents(demo, demoFile, agents, { api, draw, onProgress });
  const ids = logins.map(({ id }) => id);
  if (databaseUrl !== undefined) return issueSessions(databaseUrl, demo.organizationId, ids);
  return logIn(api, logins, (done) => {
    if (done % 100 === 0) tell(`${done} of ${logins.length} agents signed in`);
  });
}

interface Parts {
  readonly api: SimulatorApi;
  readonly target: URL;
  readonly tally: Tally;
}

/** Agents go on from where they were seen last. */
async function makeDrivers(
  { agents, seed, center, timeLapse }: SimulateOptions,
  demo: DemoOrganization,
  sessions: readonly AgentSession[],
  { api, target, tally }: Parts,
): Promise<Driver[]> {
  const city = cityOf(center, agents);
  const { data } = await api.as(demo.apiKey).get('/agents/locations/current');
  const seen = new Map(data.items.map((position) => [position.agentId, city.spotAt(position)]));
  return sessions.map((session, index) => {
    const draw = seededNumbers(seed + (index + 1) * AGENT_SEED_STEP);
    const vehicle = VEHICLES[draw(VEHICLES.length)]!;
    const traveller = new Traveller({ city, vehicle, draw, timeLapse, start: seen.get(session.agentId) });
    return new Driver(target, session, traveller, tally);
  });
}

function cityOf(center: Degrees, agents: number): City {
  const side = Math.sqrt(agents) * METRES_PER_AGENT;
  return new City(center, Math.max(SMALLEST_CITY_METRES, Math.min(LARGEST_CITY_METRES, side)));
}

async function putOnDuty(api: SimulatorApi, { session }: Driver, tally: Tally, onDuty: boolean): Promise<void> {
  await api.as(session.accessToken).put('/agents/{id}/duty', { path: { id: 'me' }, body: { onDuty } });
  tally.onDuty += onDuty ? 1 : -1;
}

interface Running extends Parts {
  readonly demo: DemoOrganization;
  readonly drivers: readonly Driver[];
  readonly shown: Shown & { readonly open: Map<number, Stage> };
  readonly output: NodeJS.WriteStream;
  readonly ending: AbortSignal;
  readonly over: AbortController;
}

/** From the first point to the last, and the clean-up after it. */
async function drive(options: SimulateOptions, running: Running): Promise<void> {
  const { demo, drivers, api, target, tally, shown, output, ending, over } = running;
  const { rateSeconds, timeLapse, tasksPerMinute, durationSeconds, center, seed, quiet } = options;
  const { organizationId, apiKey } = demo;
  tally.begin();
  const agentIds = new Set(drivers.map(({ session }) => session.agentId));
  const watch = new StreamWatch({ target, organizationId, credential: apiKey, agentIds, tally });
  const refresh = (session: AgentSession) => refreshSession(api, session);
  const fleet = new Fleet({ drivers, rateSeconds, refresh });
  const flow = new TaskFlow({
    ...{ api, apiKey, drivers, tally, tasksPerMinute, timeLapse, signal: ending },
    city: cityOf(center, options.agents),
    draw: seededNumbers(seed),
    open: shown.open,
  });
  const stopShowing = showProgress(shown, output, quiet);
  const tasks = tasksPerMinute > 0 ? flow.run() : Promise.resolve();
  const timeIsOver = durationSeconds === undefined ? new Promise<never>(() => {}) : delay(durationSeconds * 1_000);
  try {
    await Promise.race([timeIsOver, new Promise((resolve) => ending.addEventListener('abort', resolve))]);
  } finally {
    over.abort();
    tally.end();
    // An instance that is away would never answer requests in flight.
    await Promise.race([tasks, delay(TIDY_MS, undefined, { ref: false })]);
    stopShowing();
    tally.reconnects += drivers.reduce((sum, driver) => sum + driver.reconnects, 0);
    fleet.stop();
    watch.stop();
    await tidyUp(running);
  }
}

/** Leaves no task with a driver that is gone, and no agent on duty. Steps that cannot be done in time are left. */
async function tidyUp({ demo, drivers, target, tally, shown }: Running): Promise<void> {
  const api = new SimulatorApi(target, tally, AbortSignal.timeout(TIDY_MS));
  const client = api.as(demo.apiKey);
  // The instance is away, or slow, or another client was quicker: the summary shows which tasks are still open.
  const unlessItFails = (step: Promise<void>) => step.catch(() => {});
  const callOff = async (id: number) => {
    const body = { status: 'cancelled', reason: 'The simulation has ended' } as const;
    try {
      await client.put('/tasks/{id}/status', { path: { id }, body });
      tally.tasks.leftOver += 1;
    } catch (error) {
      // It had ended when the simulation did, and the answer came later.
      if (!(error instanceof DispatchError && error.status === 409)) throw error;
    }
    shown.open.delete(id);
  };
  await inParallel([...shown.open.keys()], AT_A_TIME, (id) => unlessItFails(callOff(id)));
  await inParallel(drivers, AT_A_TIME, (driver) => unlessItFails(putOnDuty(api, driver, tally, false)));
  api.close();
}
