import { RecentLatencies } from '../load/latency-histogram.ts';

/** Failures by kind. */
export interface ErrorCount {
  count: number;
  /** The first of its kind, as the server or the system put it. */
  readonly example: string;
}

/** Kinds told apart; what comes after them is counted together. */
const MOST_KINDS = 40;
const EXAMPLE_CHARS = 300;

/** The actions and observations of a simulation so far; the display and the summary read it. */
export class Tally {
  startedAt = performance.now();
  readonly points = { sent: 0, accepted: 0, stale: 0, rejected: 0, dropped: 0 };
  readonly tasks = {
    created: 0,
    pickedUp: 0,
    inTransit: 0,
    onTime: 0,
    late: 0,
    failed: 0,
    cancelled: 0,
    /** Called off since the simulation ended. */
    leftOver: 0,
    heldBack: 0,
  };
  /** Requests of the planner, and their answers. */
  readonly offers = { made: 0, accepted: 0, declined: 0, expired: 0 };
  readonly exceptions = { breakdowns: 0, reassigned: 0, attemptedAgain: 0 };
  /** Calls that came too late, by the code of their refusal: somebody else was quicker. No errors. */
  readonly overtaken = new Map<string, number>();
  /** Posts of points, from the first byte sent to the last one received. */
  posts = new RecentLatencies();
  /** From a point's `recordedAt` to its frame on the organization's stream. */
  seen = new RecentLatencies();
  /** Events of the stream by type; each frame of positions is one. */
  readonly events = new Map<string, number>();
  readonly errors = new Map<string, ErrorCount>();
  onDuty = 0;
  reconnects = 0;
  #isEnding = false;

  /** Everything is ready: time counts from now. */
  begin(): void {
    this.startedAt = performance.now();
  }

  /** From now on failures belong to the shutdown. */
  end(): void {
    this.#isEnding = true;
  }

  get errorCount(): number {
    return [...this.errors.values()].reduce((sum, { count }) => sum + count, 0);
  }

  error(kind: string, example: string): void {
    if (this.#isEnding) return;
    const kept = this.errors.has(kind) || this.errors.size < MOST_KINDS ? kind : 'other kinds';
    const known = this.errors.get(kept);
    if (known) known.count += 1;
    else this.errors.set(kept, { count: 1, example: example.slice(0, EXAMPLE_CHARS) });
  }

  overtake(code: string): void {
    this.overtaken.set(code, (this.overtaken.get(code) ?? 0) + 1);
  }

  event(type: string): void {
    this.events.set(type, (this.events.get(type) ?? 0) + 1);
  }

  /** Drops the slow times of the start, so that they do not count later. */
  forgetTimes(): void {
    this.posts = new RecentLatencies();
    this.seen = new RecentLatencies();
  }

  /** To be called once a second. */
  nextSecond(): void {
    this.posts.nextSecond();
    this.seen.nextSecond();
  }
}

/** The name of a failed connection in the list of errors. */
export function kindOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** The name of a refusal there: `409 TASK_CODE_TAKEN`, or the status alone. */
export function refusalKind(status: number, body: string): string {
  const code = /"code":"([A-Z_]+)"/.exec(body)?.[1];
  return code === undefined ? `${status}` : `${status} ${code}`;
}
