/** Ways to push tasks to one kind of gateway. */
export type WayName = 'single' | 'keyed' | 'batch';

/** The servers that a scenario can compare. `peer` and `peer-free` differ in how they count; see bench/peers. */
export type ContestantName = 'ours' | 'bare' | 'unguarded' | 'peer' | 'peer-free' | WayName;

/**
 * A piece of a request that differs each time it is sent: the first place of `text` is overwritten by `next()`, with
 * the same number of ASCII characters.
 */
export interface Stamp {
  readonly text: string;
  readonly next: () => string;
}

/** A request as autocannon takes it, and what is stamped on it. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly stamps: readonly Stamp[];
}

/** The number of the connection among how many, in the run of a seed. */
export interface LoadSeat {
  readonly connection: number;
  readonly connections: number;
  readonly seed: number;
}

/** One kind of load. Shared by the bench and by the generator, a process of its own that finds it by name. */
export interface Load {
  readonly name: string;
  readonly expectedStatus: number;
  /** How many tasks an answer with the expected status has made. */
  readonly tasksPerRequest: number;
  /** Whether an answer with the expected status really carries the requested result. */
  readonly isAnswer: (body: string) => boolean;
  /**
   * The repeated requests of one connection. The same seat makes the same requests, so that every contestant of a round
   * gets the same; another seed makes other new customers.
   */
  readonly requestsFor: (seat: LoadSeat) => LoadRequest[];
}
