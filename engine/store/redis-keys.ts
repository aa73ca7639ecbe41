/**
 * Every key and channel that the system uses in Redis. All carry the history of the event logs, so that the keys of an
 * earlier database never look like this one's; an organization's own stand under its hash tag.
 */
export interface RedisKeys {
  /** Channel of hints: organizations with a new commit. Losing one costs a second. */
  readonly committed: string;
  /** Channel of hints: organizations where a search may succeed now. Losing one costs two seconds. */
  readonly searches: string;
  /** Channel of hints: organizations with a new step at payment providers. Losing one costs a second. */
  readonly payments: string;
  /** Channel of hints: organizations whose agents have sent positions. */
  readonly moved: string;
  /** Channel of hints: a record that access rests on has changed. Messages are empty; their content does not count. */
  readonly access: string;
  /** Channel on which processes announce the organizations whose events they want. */
  readonly listening: string;
  /** Channel of an organization's committed events. */
  events(organizationId: number): string;
  /** Stream of the newest of them. */
  eventTail(organizationId: number): string;
  /** The owner of a one-use stream token, by its hash. */
  streamToken(tokenHash: string): string;
  /** Prefix of everything BullMQ keeps. */
  readonly jobs: string;
  /** Hash of an organization's positions, by agent id. */
  positions(organizationId: number): string;
  /** The holder of an organization's planning turn. */
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
