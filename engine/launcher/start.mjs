import { buildPrograms, isBuilt } from './build/build-programs.mjs';

/** `npm start`: compiles the programs when a source has changed, then runs the launcher. */
if (!isBuilt()) {
  console.log('compiling …');
  await buildPrograms();
}
await import('../../dist/bin/launcher.js');
