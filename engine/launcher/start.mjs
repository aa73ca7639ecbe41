import { buildPrograms, isBuilt, stopCompiler } from './build/build-programs.mjs';

/** `npm start`: compiles the programs when a source has changed, then runs the launcher. */
if (!isBuilt()) {
  console.log('compiling …');
  await buildPrograms();
  await stopCompiler();
}
await import('../../dist/bin/launcher.js');
