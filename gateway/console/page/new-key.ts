import type { Answer, ApiCall } from '../live/protocol.ts';

/** The key of an action that may be repeated safely. Not by `randomUUID`, which pages without HTTPS lack. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
}

/** The last body that was sent, and the key by which it may be sent again. */
export interface Attempt {
  readonly sent: string;
  readonly key: string;
}

export const NO_ATTEMPT: Attempt = { sent: '', key: '' };

/** The same body keeps its key, so that it is carried out once; another one gets a new key. */
export function attemptAfter(last: Attempt, body: unknown): Attempt {
  const sent = JSON.stringify(body);
  return sent === last.sent ? last : { sent, key: newKey() };
}

type Call = <T>(asked: ApiCall) => Promise<Answer<T>>;

/** Sends calls under keys of their own. A call that got no answer has the same key when it is sent again, so that it is carried out once. */
export function keyedCalls(call: Call): Call {
  let last = NO_ATTEMPT;
  return async <T>(asked: ApiCall) => {
    const attempt = attemptAfter(last, asked);
    last = attempt;
    const answer = await call<T>({ ...asked, key: attempt.key });
    // The engine keeps a decision under its key: the same call later is another one, and may be decided in another way.
    if (isDecided(answer) && last === attempt) last = NO_ATTEMPT;
    return answer;
  };
}

/** Whether the engine has decided a call. Any other may be sent again under the same key. */
export function isDecided(answer: Answer): boolean {
  if (answer.ok) return true;
  const { status } = answer.failure;
  return status !== 0 && status !== 401 && status !== 429 && status < 500;
}
