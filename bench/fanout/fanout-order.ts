/** The order for the audience: open the streams, and see every event on each of them. */
export interface AudienceOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly subscribers: number;
  readonly publishers: number;
  /** In all; of publisher n the n-th, the n + `publishers`-th and so on. */
  readonly events: number;
  /** Times count from this event on. */
  readonly countedFrom: number;
  /** From the end of one event's stamp to the next there are at least so many bytes. */
  readonly leap: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** The audience's results. Times are in milliseconds from when an event was due to when it was read. */
export interface AudienceOutcome {
  /** Over all subscribers. */
  readonly received: number;
  /** Subscribers that did not get every event. */
  readonly incomplete: number;
  /** Events that came when another one of their publisher was expected. */
  readonly outOfTurn: number;
  /** Subscribers that saw the events of all publishers in another order than the first one did. */
  readonly otherOrder: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly firstFailure: string | undefined;
}

/** The order for the publishers: each sends one POST after the other, on a common schedule. */
export interface PublishOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON in which `STAND_IN_NAME` marks the place of the stamp. */
  readonly body: string;
  readonly expectedStatus: number;
  readonly publishers: number;
  readonly eventsPerSecond: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface PublishOutcome {
  readonly answered: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly firstFailure: string | undefined;
}

/** How many events a schedule has. */
export function eventsOf({
  eventsPerSecond,
  warmUpSeconds,
  seconds,
}: Pick<PublishOrder, 'eventsPerSecond' | 'warmUpSeconds' | 'seconds'>): number {
  return Math.floor(eventsPerSecond * (warmUpSeconds + seconds));
}
