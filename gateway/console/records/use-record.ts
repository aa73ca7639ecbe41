import { useCallback, useEffect, useState } from 'preact/hooks';
import { callApi } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';

export interface Loaded<T> {
  readonly data: T | undefined;
  /** Why the last reading failed. The record that was read before stays. */
  readonly problem: string | null;
  readonly reload: () => Promise<void>;
  /** Puts the answer of a change in place of what was read. */
  readonly replace: (data: T) => void;
}

/** Reads a record of the API, and again when it is asked to. */
export function useRecord<T>(path: string): Loaded<T> {
  const [data, replace] = useState<T>();
  const [problem, setProblem] = useState<string | null>(null);
  const reload = useCallback(async () => {
    const answer = await callApi<T>({ method: 'GET', path });
    setProblem(answer.ok ? null : refusalText(answer.failure));
    if (answer.ok) replace(answer.data);
  }, [path]);
  useEffect(() => {
    void reload();
  }, [reload]);
  return { data, problem, reload, replace };
}
