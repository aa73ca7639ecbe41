import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { LIMITS } from '../../schema/limits.ts';
import {
  anyNumber,
  flag,
  optionalBaseUrl,
  optionalChoice,
  optionalNumber,
  readOptions,
  readText,
  wholeNumber,
} from '../command-line.ts';
import type { Degrees } from './city.ts';
import { SCENARIO_NAMES, SCENARIOS, type ScenarioName } from './orders/scenarios.ts';

export interface SimulateOptions {
  readonly agents: number;
  /** Seconds between two points of an agent. */
  readonly rateSeconds: number;
  readonly scenario: ScenarioName;
  /** 0: none. */
  readonly tasksPerMinute: number;
  /** Undefined: until it is interrupted. */
  readonly durationSeconds: number | undefined;
  readonly timeLapse: number;
  readonly center: Degrees;
  readonly seed: number;
  /** Undefined: what the demo's file says. */
  readonly baseUrl: string | undefined;
  readonly demoFile: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

const DEFAULT_SCENARIO: ScenarioName = 'lunch-rush';

const USAGE = `Usage: npm run simulate -- [options]

Drives a fleet through a made-up city, on a running instance: \`npm start\` in another terminal. Orders look for their
agents by themselves; agents answer offers, fetch, wait for windows and deliver; now and then a vehicle breaks down.

  --agents 30             how many, at most ${LIMITS.agentTokensAtOnce}; those that are missing are made
  --rate 2                seconds between two points of an agent
  --scenario lunch-rush   ${SCENARIO_NAMES.join(', ')}
  --tasks-per-minute 2.5  orders, of the simulated time; as many as the scenario has without it, 0 for none
  --duration 60           ends after so many seconds; without it Ctrl-C does
  --speed 1               time lapse, 1 to 20: how much faster than the clock everybody lives
  --center 52.52,13.405   latitude and longitude of the city
  --seed 1                the same seed makes the same orders; without it one is drawn, and printed
  --base-url <url>        the instance, where it is not the one that the demo's file names
  --demo .data/demo.json  what \`npm start\` noted of its demo organization
  --json                  the summary as JSON on stdout; progress goes to stderr
  --quiet                 the summary only

It signs the agents in through the database when DATABASE_URL is set or \`npm start\` noted where it is, else by their
passwords. Exits 1 when a request failed.`;

/** Throws UsageError, which shows the usage, for anything that it does not understand. */
export function parseSimulateOptions(args: readonly string[], dataDir: string): SimulateOptions {
  const { values } = readOptions(args, USAGE, {
    agents: wholeNumber(30, LIMITS.agentTokensAtOnce),
    rate: anyNumber(2, 0.1, 600),
    scenario: optionalChoice(SCENARIO_NAMES),
    'tasks-per-minute': optionalNumber(0, 60_000),
    duration: optionalNumber(1, 30 * 86_400),
    speed: anyNumber(1, 1, 20),
    center: readText('52.52,13.405', centerOf),
    seed: wholeNumber(randomInt(2 ** 32), 2 ** 32 - 1, 0),
    'base-url': optionalBaseUrl(),
    demo: readText(join(dataDir, 'demo.json'), (path) => path),
    json: flag(),
    quiet: flag(),
  });
  const scenario = values.scenario ?? DEFAULT_SCENARIO;
  return {
    agents: values.agents,
    rateSeconds: values.rate,
    scenario,
    tasksPerMinute: values['tasks-per-minute'] ?? (values.agents * SCENARIOS[scenario].ordersPerAgentHour) / 60,
    durationSeconds: values.duration,
    timeLapse: values.speed,
    center: values.center,
    seed: values.seed,
    baseUrl: values['base-url'],
    demoFile: values.demo,
    json: values.json,
    quiet: values.quiet,
  };
}

function centerOf(text: string): Degrees {
  const [latitude, longitude, ...rest] = text
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isPlace = Math.abs(latitude!) <= 80 && Math.abs(longitude!) <= 180 && rest.length === 0;
  if (!isPlace) throw new Error(`"${text}" is no latitude (80 at most) and longitude like 52.52,13.405.`);
  return { latitude: latitude!, longitude: longitude! };
}
