import { servePlanning } from './serve-planning.ts';

/** The program of a RoundPlanner's thread. */
servePlanning();
