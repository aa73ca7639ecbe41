import { LIMITS } from '../../schema/limits.ts';

/**
 * A moment as text, at the latest the last one that can be shown. Every time that is computed from others becomes text
 * here: a later one would have a year of six digits, which the commit and the clients refuse.
 */
export function isoOf(ms: number): string {
  if (ms !== lastIso.ms) lastIso = { ms, text: new Date(Math.min(ms, LIMITS.latestTimeMs)).toISOString() };
  return lastIso.text;
}

/** After an expected time has passed by this, pages and mails leave it out: nobody knows a better one. */
const PAST_MS = 60_000;

/** Whether pages and mails give it, at `now`, as the time at which somebody is expected. */
export function isStillExpected(etaAt: string, now: string): boolean {
  return Date.parse(now) <= Date.parse(etaAt) + PAST_MS;
}

/** Tasks of one moment have one deadline: formatting a time takes as long as all the rest around it. */
let lastIso = { ms: Number.NaN, text: '' };
