/** A change that a client asks for. */
export interface Operation {
  /** The Idempotency-Key. A created task carries it as its name, so that the rows can be distinguished. */
  readonly key: string;
  readonly organizationId: number;
  /** `update` writes the key into the notes. */
  readonly kind: 'create' | 'job' | 'batch' | 'update' | 'cancel';
  /** The task to update or to cancel. */
  readonly taskId?: number;
}

/** Children of every job, and items of every batch. */
const PARTS = 3;

/** The tasks that an operation creates, by name; none when it changes one. */
export function namesOf({ key, kind }: Operation): readonly string[] {
  const parts = Array.from({ length: PARTS }, (_, number) => `${key}/${number}`);
  if (kind === 'create') return [key];
  if (kind === 'job') return [key, ...parts];
  return kind === 'batch' ? parts : [];
}

/** The outcome of one attempt at an operation, as the client sees it. */
export type Outcome =
  | {
      readonly kind: 'acknowledged';
      /** The task that was changed or created; the parent of a job, the first of a batch. */
      readonly taskId: number;
      /** All created tasks, in the order of their names; absent when there is only one. */
      readonly taskIds?: readonly number[];
      /** The sequence of the position that came with the answer. */
      readonly sequence: number;
      /** The task in the answer. */
      readonly data: string;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string | undefined }
  | {
      readonly kind: 'unknown';
      readonly why: string;
      /** Absent when no answer came. */
      readonly status?: number;
    };

export interface JournaledOperation {
  readonly operation: Operation;
  readonly outcomes: readonly Outcome[];
}

/** The events that one client saw on the stream of an organization, over all its connections. */
export interface StreamJournal {
  readonly organizationId: number;
  /** The position from which the client asked for events. */
  readonly after: number;
  /** The events in the order of arrival. */
  readonly seen: readonly SeenEvent[];
}

export interface SeenEvent {
  readonly sequence: number;
  readonly taskId: number;
}

/** The log when a new owner had taken the organization over: no event of an earlier epoch may follow. */
export interface Takeover {
  readonly organizationId: number;
  readonly epoch: number;
  readonly sequence: number;
}

/** Everything that the clients of a test know. */
export interface JournalView {
  readonly operations: ReadonlyMap<string, JournaledOperation>;
  readonly streams: readonly StreamJournal[];
  readonly takeovers: readonly Takeover[];
}

/** Refusals that promise that nothing was done; any other 5xx leaves it open. */
const NOT_DONE = new Set(['NOT_APPLIED', 'NOT_OWNER', 'OVERLOADED', 'UNAVAILABLE']);

/** A journal. Clients write down each request before they send it, and each answer when it arrives. */
export class Journal implements JournalView {
  readonly operations = new Map<string, { readonly operation: Operation; readonly outcomes: Outcome[] }>();
  readonly streams: (StreamJournal & { readonly seen: SeenEvent[] })[] = [];
  readonly takeovers: Takeover[] = [];

  sent(operation: Operation): void {
    if (!this.operations.has(operation.key)) this.operations.set(operation.key, { operation, outcomes: [] });
  }

  heard(key: string, outcome: Outcome): void {
    this.operations.get(key)!.outcomes.push(outcome);
  }

  /** The returned function writes down the answer. */
  watched(organizationId: number, after: number): (event: SeenEvent) => void {
    const seen: SeenEvent[] = [];
    this.streams.push({ organizationId, after, seen });
    return (event) => void seen.push(event);
  }

  tookOver(takeover: Takeover): void {
    this.takeovers.push(takeover);
  }

  /** The tasks that clients saw, in the order of the answers. */
  acknowledgedTasks(organizationId: number): number[] {
    const ids = new Set<number>();
    for (const { operation, outcomes } of this.operations.values()) {
      const told = operation.kind === 'create' && operation.organizationId === organizationId;
      for (const outcome of told ? outcomes : []) if (outcome.kind === 'acknowledged') ids.add(outcome.taskId);
    }
    return [...ids];
  }
}

/** Returns the promise of a refusal: not executed, or unknown. */
export function refusedOutcome(status: number, code: string | undefined): Outcome {
  if (status >= 500 && !(status === 503 && NOT_DONE.has(code ?? '')))
    return { kind: 'unknown', why: `${status} ${code ?? 'without a code'}`, status };
  return { kind: 'refused', status, code };
}
