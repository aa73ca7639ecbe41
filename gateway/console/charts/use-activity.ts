import { useEffect, useState } from 'preact/hooks';
import { callApi, figures } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { nowMs } from '../page/state.ts';
import { type Activity, emptyActivity, forgetBefore, takeEvent } from './activity.ts';
import { findStart, ReadError, readOn } from './read-log.ts';

const SPAN_MS = 3_600_000;
/** A busy hour has more events than a phone should read. */
const MOST_EVENTS = 6_000;
const AGAIN_MS = 5_000;

export interface Known {
  readonly activity: Activity;
  /** From here on everything is known. */
  readonly sinceMs: number;
  readonly atMs: number;
}

/** The last hour of the log, read on while the charts are open. `problem`: why it does not go on at the moment. */
export function useActivity(): { readonly known: Known | null; readonly problem: string | null } {
  const [known, setKnown] = useState<Known | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const isLoaded = figures.value !== undefined;
  useEffect(() => {
    if (!isLoaded) return;
    const stop = new AbortController();
    void follow(stop.signal, setKnown, setProblem);
    return () => stop.abort();
  }, [isLoaded]);
  return { known, problem };
}

async function follow(
  signal: AbortSignal,
  onKnown: (known: Known) => void,
  onProblem: (problem: string | null) => void,
): Promise<void> {
  const read = <T>(path: string) => callApi<T>({ method: 'GET', path });
  let activity = emptyActivity();
  let start: { after: number; sinceMs: number } | undefined;
  while (!signal.aborted) {
    try {
      const fromMs = nowMs.peek() - SPAN_MS;
      start ??= await findStart(read, figures.peek()?.sequence ?? 0, fromMs, MOST_EVENTS);
      const after = await readOn(read, start.after, (event) => takeEvent(activity, event));
      forgetBefore(activity, fromMs);
      start = { after, sinceMs: Math.max(start.sinceMs, fromMs) };
      if (signal.aborted) return;
      onKnown({ activity, sinceMs: start.sinceMs, atMs: nowMs.peek() });
      onProblem(null);
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      if (signal.aborted) return;
      onProblem(refusalText(error.failure));
      // Nobody knows how far the reading came, so it begins again.
      activity = emptyActivity();
      start = undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
