/** The part of the Web Locks API that the client uses. */
interface LockManager {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Runs work while no other tab or worker of the same origin runs work under the name, where there are Web Locks. */
export function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const { locks } = (globalThis as { readonly navigator?: { readonly locks?: LockManager } }).navigator ?? {};
  return locks ? locks.request(name, work) : work();
}
