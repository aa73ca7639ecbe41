import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findDemoFacts } from '../../engine/launcher/demo-facts.ts';
import type { DemoOrganization } from '../../engine/launcher/demo-organization.ts';
import { findStoreFacts } from '../../engine/launcher/store-facts.ts';
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
import { Traveller, VEHICLES } from './traveller.ts';
import { Dispatcher } from './work/dispatcher.ts';
import { DriverDay } from './work/driver-day.ts';
import { FleetFeed } from './work/fleet-feed.ts';
import { OrderDesk } from './work/order-desk.ts';
import { Pace } from './work/pace.ts';
import { putShifts, ShiftDesk } from './work/shift-desk.ts';
import type { Simulation, Task } from './work/simulation.ts';

/** For each agent so much room that the next free one is some minutes away at most. */
const METRES_PER_AGENT = 300;
const SMALLEST_CITY_METRES = 1_500;
const LARGEST_CITY_METRES = 30_000;
const AT_A_TIME = 16;
/** How long a simulation may take to leave things in order. */
const TIDY_MS = 8_000;
/** Keeps what an agent draws apart from what the others draw. */
const AGENT_SEED_STEP = 7_919;
const NEVER = new Promise<never>(() => {});

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
  const { agents, scenario, seed } = options;
  const title = `${agents} agents on ${target.origin}, ${scenario}, --seed ${seed}`;
  const shown = { title, tally, open: new Map<number, Task['status']>() };
  try {
    tell(title);
    const sessions = await signIn(options, demo, database, api, tell);
    const drivers = await makeDrivers(options, demo, sessions, { api, target, tally });
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

/** Agents go on from where they were seen last, in the vehicles that the service knows. */
async function makeDrivers(
  { agents, seed, center, timeLapse }: SimulateOptions,
  demo: DemoOrganization,
  sessions: readonly AgentSession[],
  { api, target, tally }: Parts,
): Promise<Driver[]> {
  const city = cityOf(center, agents);
  const client = api.as(demo.apiKey);
  const { data } = await client.get('/agents/locations/current');
  const seen = new Map(data.items.map((position) => [position.agentId, city.spotAt(position)]));
  const vehicles = new Map<number, string | undefined>();
  for await (const { id, vehicle } of client.items('/agents', { query: { limit: 100 } }))
    vehicles.set(id, vehicle?.type);
  return sessions.map((session, index) => {
    const draw = seededNumbers(seed + (index + 1) * AGENT_SEED_STEP);
    const vehicle = VEHICLES.find((type) => type === vehicles.get(session.agentId)) ?? 'car';
    const traveller = new Traveller({ city, vehicle, draw, timeLapse, start: seen.get(session.agentId) });
    return new Driver(target, session, traveller, tally);
  });
}

function cityOf(center: Degrees, agents: number): City {
  const side = Math.sqrt(agents) * METRES_PER_AGENT;
  return new City(center, Math.max(SMALLEST_CITY_METRES, Math.min(LARGEST_CITY_METRES, side)));
}

interface Running extends Parts {
  readonly demo: DemoOrganization;
  readonly drivers: readonly Driver[];
  readonly shown: Shown & { readonly open: Map<number, Task['status']> };
  readonly output: NodeJS.WriteStream;
  readonly ending: AbortSignal;
  readonly over: AbortController;
}

/** From the first point to the last, and the clean-up after it. */
async function drive(options: SimulateOptions, running: Running): Promise<void> {
  const { demo, drivers, api, target, tally, shown, output, ending, over } = running;
  const { rateSeconds, durationSeconds, quiet } = options;
  const { organizationId, apiKey } = demo;
  tally.begin();
  const agentIds = new Set(drivers.map(({ session }) => session.agentId));
  const watch = new StreamWatch({ target, organizationId, credential: apiKey, agentIds, tally });
  const refresh = (session: AgentSession) => refreshSession(api, session);
  const fleet = new Fleet({ drivers, rateSeconds, refresh });
  const stopShowing = showProgress(shown, output, quiet);
  let days: DriverDay[] = [];
  let work: Promise<unknown> = Promise.resolve();
  try {
    const crew = await assemble(options, running);
    days = crew.days;
    await inParallel(days, AT_A_TIME, (day) => day.setDuty(true));
    work = crew.work(options.tasksPerMinute > 0);
    const timeIsOver =
      durationSeconds === undefined ? NEVER : delay(durationSeconds * 1_000, undefined, { ref: false });
    const isEnding = new Promise<void>((resolve) => {
      if (ending.aborted) resolve();
      else ending.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([timeIsOver, isEnding, work]);
  } finally {
    over.abort();
    tally.end();
    // An instance that is away would never answer requests in flight.
    await Promise.race([work.catch(() => {}), delay(TIDY_MS, undefined, { ref: false })]);
    stopShowing();
    tally.reconnects += drivers.reduce((sum, driver) => sum + driver.reconnects, 0);
    fleet.stop();
    watch.stop();
    await tidyUp(running, days);
  }
}

interface Crew {
  readonly days: DriverDay[];
  /** Resolves when everybody has stopped; rejects with the first failure that is no refusal. */
  work(withOrders: boolean): Promise<unknown>;
}

/** Everybody who works through the API: the shop, the drivers, the dispatcher. */
async function assemble(options: SimulateOptions, running: Running): Promise<Crew> {
  const { api, demo, drivers, tally, ending, shown } = running;
  const { scenario, seed, center, agents, timeLapse, tasksPerMinute } = options;
  const simulation: Simulation = {
    ...{ api, scenario, tally, signal: ending, open: shown.open, fates: new Map() },
    shop: api.as(demo.apiKey),
    city: cityOf(center, agents),
    pace: new Pace(timeLapse),
  };
  const drawOf = (number: number) => seededNumbers(seed - number * AGENT_SEED_STEP);
  const byAgent = new Map(
    drivers.map((driver, index) => [driver.session.agentId, new DriverDay(driver, simulation, drawOf(index + 2))]),
  );
  const atConsole = await api.signedIn(demo.dispatcher);
  const dispatcher = new Dispatcher(simulation, atConsole, byAgent, drawOf(1));
  const feed = new FleetFeed(simulation, byAgent, (task) => void dispatcher.tryAgain(task));
  await feed.start(api.streaming(demo.apiKey));
  const days = [...byAgent.values()];
  const shifts = new ShiftDesk(simulation, atConsole, days, drawOf(0));
  await shifts.planAll();
  const desk = new OrderDesk(simulation, tasksPerMinute * 60, agents, seededNumbers(seed));
  return {
    days,
    work: (withOrders) =>
      Promise.all([
        ...(withOrders ? [desk.run()] : []),
        feed.following,
        dispatcher.run(),
        shifts.run(),
        ...days.map((day) => day.run()),
      ]),
  };
}

/** Leaves no task with a driver that is gone, and no agent on duty or bound by shifts. Steps that cannot be done in time are left. */
async function tidyUp({ demo, target, tally, shown }: Running, days: readonly DriverDay[]): Promise<void> {
  const api = new SimulatorApi(target, tally, AbortSignal.timeout(TIDY_MS));
  const client = api.as(demo.apiKey);
  // The instance is away, or slow: the summary shows which tasks are still open.
  const unlessItFails = (step: Promise<void>) => step.catch(() => {});
  const callOff = async (id: number) => {
    const body = { status: 'cancelled', reason: 'The simulation has ended' } as const;
    // It may have ended when the simulation did, and the answer came later.
    if (await api.unlessOvertaken(client.put('/tasks/{id}/status', { path: { id }, body }))) tally.tasks.leftOver += 1;
    shown.open.delete(id);
  };
  await inParallel([...shown.open.keys()], AT_A_TIME, (id) => unlessItFails(callOff(id)));
  await inParallel(days, AT_A_TIME, (day) => unlessItFails(day.setDuty(false, api)));
  const atConsole = await api.signedIn(demo.dispatcher).catch(() => undefined);
  if (atConsole) await inParallel(days, AT_A_TIME, (day) => unlessItFails(putShifts(atConsole, day.agentId, [])));
  api.close();
}
