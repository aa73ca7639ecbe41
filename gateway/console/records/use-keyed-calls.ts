import { useState } from 'preact/hooks';
import { callApi } from '../page/link.ts';
import { keyedCalls } from '../page/new-key.ts';

/** The way to call the API for a change that must not be made twice: pressing again after a lost answer is the same call. */
export function useKeyedCalls(): typeof callApi {
  const [call] = useState(() => keyedCalls(callApi));
  return call;
}
