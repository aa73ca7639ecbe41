import { register } from 'tsx/esm/api';

/** The thread of a process that runs from its sources. It has none of the loaders of its process. */
register();
await import('./planner-thread.ts');
