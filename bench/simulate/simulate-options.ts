import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LIMITS } from '../../schema/limits.ts';
import { UsageError } from '../stand/run-to-end.ts';
import type { Degrees } from './city.ts';

export interface SimulateOptions {
  readonly agents: number;
  /** Seconds between two points of an agent. */
  readonly rateSeconds: number;
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

const USAGE = `Usage: npm run simulate -- [options]

Drives a fleet through a made-up city and works tasks through, on a running instance: \`npm start\` in another terminal.

  --agents 30             how many, at most ${LIMITS.agentTokensAtOnce}; those that are missing are made
  --rate 2                seconds between two points of an agent
  --tasks-per-minute 6    tasks pushed; 0 for none
  --duration 60           ends after so many seconds; without it Ctrl-C does
  --speed 1               time lapse, 1 to 20: how much faster than the clock everybody lives
  --center 52.52,13.405   latitude and longitude of the city
  --seed 1                the same seed makes the same city, people and orders
  --base-url <url>        the instance, where it is not the one that the demo's file names
  --demo .data/demo.json  what \`npm start\` noted of its demo organization
  --json                  the summary as JSON on stdout; progress goes to stderr
  --quiet                 the summary only

It signs the agents in through the database when DATABASE_URL is set or \`npm start\` noted where it is, else by their
passwords. Exits 1 when a request failed.`;

/** Throws UsageError, which shows what would do, for anything it does not understand. */
export function parseSimulateOptions(args: readonly string[], dataDir: string): SimulateOptions {
  const values = parseOrExplain(args, join(dataDir, 'demo.json'));
  const { 'base-url': baseUrl, duration } = values;
  if (values.help) throw new UsageError(USAGE);
  if (baseUrl !== undefined && !/^https?:\/\/[^/]+\/?$/.test(baseUrl))
    throw usage(`--base-url: "${baseUrl}" is no address like http://127.0.0.1:8080.`);
  return {
    agents: numberOf('--agents', values.agents, 1, LIMITS.agentTokensAtOnce, 'whole'),
    rateSeconds: numberOf('--rate', values.rate, 0.1, 600),
    tasksPerMinute: numberOf('--tasks-per-minute', values['tasks-per-minute'], 0, 60_000),
    durationSeconds: duration === undefined ? undefined : numberOf('--duration', duration, 1, 30 * 86_400),
    timeLapse: numberOf('--speed', values.speed, 1, 20),
    center: centerOf(values.center),
    seed: numberOf('--seed', values.seed, 0, 2 ** 32 - 1, 'whole'),
    baseUrl,
    demoFile: values.demo,
    json: values.json,
    quiet: values.quiet,
  };
}

function parseOrExplain(args: readonly string[], demoFile: string) {
  const text = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        agents: text('30'),
        rate: text('2'),
        'tasks-per-minute': text('6'),
        duration: { type: 'string' },
        speed: text('1'),
        center: text('52.52,13.405'),
        seed: text('1'),
        'base-url': { type: 'string' },
        demo: text(demoFile),
        json: flag,
        quiet: flag,
        help: flag,
      },
    }).values;
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function centerOf(text: string): Degrees {
  const [latitude, longitude, ...rest] = text
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isPlace = Math.abs(latitude!) <= 80 && Math.abs(longitude!) <= 180 && rest.length === 0;
  if (!isPlace) throw usage(`--center: "${text}" is no latitude (80 at most) and longitude like 52.52,13.405.`);
  return { latitude: latitude!, longitude: longitude! };
}

function numberOf(option: string, text: string, least: number, most: number, kind?: 'whole'): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most) || (kind === 'whole' && !Number.isInteger(value)))
    throw usage(`${option}: "${text}" is no ${kind ? `${kind} ` : ''}number from ${least} to ${most}.`);
  return value;
}

function usage(problem: string): UsageError {
  return new UsageError(`${problem}\n\n${USAGE}`);
}
