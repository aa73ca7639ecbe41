/** The servers that a scenario can compare. `peer` and `peer-free` differ in how they count; see bench/peers. */
export type ContestantName = 'ours' | 'ceiling' | 'peer' | 'peer-free';

/** A request as autocannon takes it; `setupRequest` makes it anew each time it is sent. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly setupRequest?: (request: LoadRequest) => LoadRequest;
}

/** What we want to see at a number of connections. Source: the project's performance goals. */
export interface Target {
  readonly connections: number;
  /** Times the throughput of a peer. */
  readonly peerRatio: number;
  /** Part of the ceiling's throughput. */
  readonly ceilingShare: number;
}

/** One kind of load. Shared by the bench and by the generator, a process of its own that finds it by name. */
export interface Scenario {
  readonly name: string;
  readonly expectedStatus: number;
  /** Whether an answer with the expected status really carries what was asked for. */
  readonly isAnswer: (body: string) => boolean;
  /**
   * What one connection sends, again and again. The same `seed` makes the same requests, so that every contestant of
   * a round gets the same; another seed makes other new customers.
   */
  readonly requestsFor: (connection: number, seed: number) => LoadRequest[];
  readonly targets: readonly Target[];
}
