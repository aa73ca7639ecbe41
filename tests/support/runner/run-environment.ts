import { RUN_VARIABLE } from './leftover-processes.ts';

const NAMES = ['PATH', 'NODE_OPTIONS', RUN_VARIABLE];

/** What a process is started with by a test that chooses the rest: found by its run, and with the run's translations. */
export function runEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));
}
