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
