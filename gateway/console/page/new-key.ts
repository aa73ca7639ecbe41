/** The key of an action that may be repeated safely. Not by `randomUUID`, which pages without HTTPS lack. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
}
