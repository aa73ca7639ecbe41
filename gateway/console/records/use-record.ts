import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { callApi } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { isCutOff } from '../page/state.ts';

export interface Loaded<T> {
  readonly data: T | undefined;
  /** Why the last reading failed. The record that was read before stays. */
  readonly problem: string | null;
  readonly reload: () => Promise<void>;
  /** Puts the answer of a change in place of what was read. */
  readonly replace: (data: T) => void;
}

/** Reads a record of the API, and again when it is asked to. Cut off, it waits for the connection. */
export function useRecord<T>(path: string): Loaded<T> {
  const [data, replace] = useState<T>();
  const [problem, setProblem] = useState<string | null>(null);
  const read = useRef<string | null>(null);
  const isCut = isCutOff.value;
  const reload = useCallback(async () => {
    const answer = await callApi<T>({ method: 'GET', path });
    setProblem(answer.ok ? null : refusalText(answer.failure));
    if (!answer.ok) return;
    read.current = path;
    replace(answer.data);
  }, [path]);
  useEffect(() => {
    if (isCut || read.current === path) return;
    setProblem(null);
    void reload();
  }, [reload, isCut]);
  return { data, problem, reload, replace };
}
