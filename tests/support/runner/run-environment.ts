import { compiledFile, type ProgramName, sourceFile } from '../../../engine/launcher/build/build-programs.mjs';
import { RUN_VARIABLE } from './leftover-processes.ts';

/** Holds the NODE_OPTIONS of the compiled programs of a run. */
export const PROGRAM_OPTIONS_VARIABLE = 'TEST_PROGRAM_OPTIONS';

const NAMES = ['PATH', 'NODE_OPTIONS', PROGRAM_OPTIONS_VARIABLE, RUN_VARIABLE];

/**
 * The environment of a process that a test starts with variables of its own: the mark of the run, and its translations.
 */
export function runEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));
}

/** Set where programs are to run from their sources: in a tree that changes all the time, compiling would cost most. */
export const SOURCES_VARIABLE = 'TEST_PROGRAMS_FROM_SOURCES';

/**
 * A program as production runs it, or from its sources, see above. The run has compiled it, so it needs no translations,
 * and no source maps: reading them costs a process half of its start, and the first stack of an error as much again.
 * V8 optimizes it later than in production: see translateTree().
 */
export function compiledProgram(name: ProgramName): { readonly args: string[]; readonly env: NodeJS.ProcessEnv } {
  if (process.env[SOURCES_VARIABLE]) return { args: [sourceFile(name)], env: runEnvironment() };
  const env = runEnvironment();
  return { args: [compiledFile(name)], env: { ...env, NODE_OPTIONS: env[PROGRAM_OPTIONS_VARIABLE] } };
}
