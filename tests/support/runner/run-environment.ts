import { RUN_VARIABLE } from './leftover-processes.ts';

const NAMES = ['PATH', 'NODE_OPTIONS', RUN_VARIABLE];

/**
 * The environment of a process that a test starts with variables of its own: the mark of the run, and its translations.
 */
export function runEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));
}
