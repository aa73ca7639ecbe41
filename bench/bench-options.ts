import { parseArgs } from 'node:util';
import { findScenario, scenarioNames } from './scenarios/find-scenario.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { UsageError } from './stand/run-to-end.ts';

export interface BenchOptions {
  readonly scenario: Scenario;
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Where every single result goes as JSON, beside the printed report. */
  readonly jsonFile: string | undefined;
}

const USAGE = `Usage: npm run bench -- <scenario> [options]

Scenarios: ${scenarioNames.join(', ')}
  --connections 64,256   connections of the load generator, each number measured apart
  --rounds 3             how often each server is measured, in turn; fewer than 3 are void
  --seconds 10           length of the measured window; less than 10 is void
  --warm-up 3            seconds of load before it
  --json <file>          also write every single result there`;

const MOST = { connections: 5_000, rounds: 100, seconds: 3_600 };

/** Throws UsageError, which shows what would do, for anything it does not understand. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseOrExplain(args);
  const [name, ...rest] = positionals;
  const scenario = name === undefined ? undefined : findScenario(name);
  if (!scenario) throw usage(name === undefined ? 'No scenario given.' : `There is no scenario "${name}".`);
  if (rest.length > 0) throw usage(`One scenario at a time, not also "${rest.join(' ')}".`);
  return {
    scenario,
    connections: values.connections.split(',').map((text) => wholeNumber('--connections', text, MOST.connections)),
    rounds: wholeNumber('--rounds', values.rounds, MOST.rounds),
    seconds: numberOf('--seconds', values.seconds, MOST.seconds),
    warmUpSeconds: numberOf('--warm-up', values['warm-up'], MOST.seconds),
    jsonFile: values.json,
  };
}

function parseOrExplain(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        connections: { type: 'string', default: '64,256' },
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '10' },
        'warm-up': { type: 'string', default: '3' },
        json: { type: 'string' },
      },
    });
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function wholeNumber(option: string, text: string, most: number): number {
  const value = numberOf(option, text, most);
  if (!Number.isInteger(value)) throw usage(`${option}: "${text}" is no whole number.`);
  return value;
}

function numberOf(option: string, text: string, most: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0 && value <= most)) {
    throw usage(`${option}: "${text}" is no number between 0 and ${most}.`);
  }
  return value;
}

function usage(problem: string): UsageError {
  return new UsageError(`${problem}\n\n${USAGE}`);
}
