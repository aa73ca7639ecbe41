/**
 * Every key and channel that the system uses in Redis. All carry the history of the event logs, so that what an
 * earlier database left behind is never mistaken for this one's; an organization's own stand under its hash tag.
 */
export interface RedisKeys {
  /** Channel of hints: which organizations have just committed something. Losing one costs a second. */
  readonly committed: string;
  /** Channel of hints: where a task may find an agent now that found none before. Losing one costs two seconds. */
  readonly searches: string;
  /** Channel of hints: which organizations have something new to do at payment providers. Losing one costs a second. */
  readonly payments: string;
  /** Channel of hints: of which organization agents have just told where they are. */
  readonly moved: string;
  /** Channel of hints: something that access rests on has just changed. Messages are empty, nothing in them counts. */
  readonly access: string;
  /** Channel on which processes say whose events they want. */
  readonly listening: string;
  /** Channel of an organization's committed events. */
  events(organizationId: number): string;
  /** Stream of the newest of them. */
  eventTail(organizationId: number): string;
  /** What a one-use credential for a stream stands for, by its hash. */
  streamToken(tokenHash: string): string;
  /** Prefix of everything BullMQ keeps. */
  readonly jobs: string;
  /** Hash of where an organization's agents are, by agent id. */
  positions(organizationId: number): string;
  /** Who plans a round of an organization. */
  roundTurn(organizationId: number): string;
}

export function redisKeys(prefix: string, history: string): RedisKeys {
  return {
    committed: `${prefix}:${history}:committed`,
    searches: `${prefix}:${history}:searches`,
    payments: `${prefix}:${history}:payments`,
    moved: `${prefix}:${history}:moved`,
    access: `${prefix}:${history}:access`,
    listening: `${prefix}:${history}:listening`,
    events: (organizationId) => `${prefix}:${history}:{${organizationId}}:events`,
    eventTail: (organizationId) => `${prefix}:${history}:{${organizationId}}:event-tail`,
    streamToken: (tokenHash) => `${prefix}:${history}:stream-token:${tokenHash}`,
    jobs: `${prefix}:${history}:jobs`,
    positions: (organizationId) => `${prefix}:${history}:{${organizationId}}:positions`,
    roundTurn: (organizationId) => `${prefix}:${history}:{${organizationId}}:round-turn`,
  };
}
