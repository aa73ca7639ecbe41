import { optionalText, readOptions, wholeNumber } from '../command-line.ts';

export interface ConsoleOptions {
  readonly agents: number;
  readonly tasks: number;
  readonly minutes: number;
  readonly reactions: number;
  readonly consoles: number;
  readonly programs: number;
  readonly consoleTasks: number;
  readonly points: number;
  readonly lives: number;
  readonly seconds: number;
  readonly profileFile: string | undefined;
}

const USAGE = `Usage: npm run bench -- console [options]

The dispatch console in Chromium, without a graphics card: its first load, then its frames, reactions and memory while
every agent moves once a second; then many consoles without a screen, and what they cost the gateway.

  --agents 5000       that move once a second; rounded down to a multiple of 50
  --tasks 20000       open tasks
  --minutes 10        of the browser under this load; less than 3 leave out whether its heap grows
  --reactions 60      of each kind that is measured
  --consoles 200      without a screen; 0: leave this part out
  --programs 4        of them with the program of the console's worker; of the others only the streams are read
  --console-tasks 500 open tasks of their organization
  --points 1000       positions a second of their organization; rounded down to a multiple of 50
  --lives 10          tasks a second that begin there; each is about five events
  --seconds 30        that the gateway is measured under them; less than 10 is void
  --profile <file>    also write where the main thread of the page spends its time, as a .cpuprofile`;

/** Throws UsageError, which shows the usage, for anything that it does not understand. */
export function parseConsoleOptions(args: readonly string[]): ConsoleOptions {
  const { values } = readOptions(args, USAGE, {
    agents: wholeNumber(5_000, 50_000, 50),
    tasks: wholeNumber(20_000, 100_000),
    minutes: wholeNumber(10, 600),
    reactions: wholeNumber(60, 1_000),
    consoles: wholeNumber(200, 200, 0),
    programs: wholeNumber(4, 200),
    'console-tasks': wholeNumber(500, 20_000),
    points: wholeNumber(1_000, 50_000, 50),
    lives: wholeNumber(10, 1_000),
    seconds: wholeNumber(30, 3_600),
    profile: optionalText(),
  });
  const { agents, points, 'console-tasks': consoleTasks, profile: profileFile, ...others } = values;
  return { ...others, profileFile, consoleTasks, agents: agents - (agents % 50), points: points - (points % 50) };
}
