import { register } from 'tsx/esm/api';

/** A thread has none of the loaders of its process: without this one it could not read TypeScript. */
register();
const { servePlanning } = await import('./serve-planning.ts');
servePlanning();
