import type { TokenPair, TokenStore } from './session.ts';

/** The parts of IndexedDB that the store uses; pages and workers have it. */
interface Request<T> {
  readonly result: T;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}
interface Shelf {
  get(key: string): Request<TokenPair | undefined>;
  put(value: TokenPair, key: string): Request<unknown>;
  delete(key: string): Request<unknown>;
}
interface Transaction {
  objectStore(name: string): Shelf;
  readonly error: unknown;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
}
interface Database {
  createObjectStore(name: string): unknown;
  transaction(name: string, mode: 'readonly' | 'readwrite'): Transaction;
}
interface IndexedDb {
  open(name: string): Request<Database> & { onupgradeneeded: (() => void) | null };
}

const SHELF = 'tokens';
const KEY = 'session';

/** Opens a store in IndexedDB that all tabs and workers of the origin share. It outlives the browser's end. */
export async function openTokenStore(name = 'dispatch'): Promise<TokenStore> {
  const { indexedDB } = globalThis as unknown as { readonly indexedDB?: IndexedDb };
  if (!indexedDB) throw new Error('IndexedDB is missing here: give the session another store');
  const opening = indexedDB.open(name);
  opening.onupgradeneeded = () => void opening.result.createObjectStore(SHELF);
  const database = await resultOf(opening);
  return {
    read: () => resultOf(database.transaction(SHELF, 'readonly').objectStore(SHELF).get(KEY)),
    write(pair) {
      const transaction = database.transaction(SHELF, 'readwrite');
      const shelf = transaction.objectStore(SHELF);
      if (pair) shelf.put(pair, KEY);
      else shelf.delete(KEY);
      return new Promise((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error);
      });
    },
  };
}

function resultOf<T>(request: Request<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
