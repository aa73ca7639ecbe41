import { buildPrograms } from './build-programs.mjs';

/** `npm run build`: compiles the programs that the Procfile and the image run. */
await buildPrograms();
