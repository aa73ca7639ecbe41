/** A change that a client asks for. */
export interface Operation {
  /** The Idempotency-Key; a created task bears it as its name, so that the rows can be told apart. */
  readonly key: string;
  readonly organizationId: number;
  /** `update` writes the key into the notes. */
  readonly kind: 'create' | 'job' | 'batch' | 'update' | 'cancel';
  /** The task to update or to cancel. */
  readonly taskId?: number;
}

/** Children of every job, and items of every batch. */
const PARTS = 3;

/** The tasks that an operation makes, by name; none when it changes one. */
export function namesOf({ key, kind }: Operation): readonly string[] {
  const parts = Array.from({ length: PARTS }, (_, number) => `${key}/${number}`);
  if (kind === 'create') return [key];
  if (kind === 'job') return [key, ...parts];
  return kind === 'batch' ? parts : [];
}

/** What one attempt at an operation came to, in the eyes of the client. */
export type Outcome =
  | {
      readonly kind: 'acknowledged';
      /** The task that was changed or made; of a job the parent, of a batch the first. */
      readonly taskId: number;
      /** All tasks that were made, in the order of their names; absent when there is but one. */
      readonly taskIds?: readonly number[];
      /** The sequence of the position that came with the answer. */
      readonly sequence: number;
      /** The task as it was shown. */
      readonly data: string;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string | undefined }
  | { readonly kind: 'unknown'; readonly why: string };

export interface JournaledOperation {
  readonly operation: Operation;
  readonly outcomes: readonly Outcome[];
}

/** What one client saw on the stream of an organization, over all its connections. */
export interface StreamJournal {
  readonly organizationId: number;
  /** The position from which the client asked for events. */
  readonly after: number;
  /** What arrived, in the order of arrival. */
  readonly seen: readonly SeenEvent[];
}

export interface SeenEvent {
  readonly sequence: number;
  readonly taskId: number;
}

/** What the log held when a new owner had taken the organization over: nothing of an earlier epoch may follow. */
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

/** The clients write down what they send before they send it, and what they hear when they hear it. */
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

  /** The returned function writes down what arrived. */
  watched(organizationId: number, after: number): (event: SeenEvent) => void {
    const seen: SeenEvent[] = [];
    this.streams.push({ organizationId, after, seen });
    return (event) => void seen.push(event);
  }

  tookOver(takeover: Takeover): void {
    this.takeovers.push(takeover);
  }

  /** The tasks that some client was told of, in the order in which it was. */
  acknowledgedTasks(organizationId: number): number[] {
    const ids = new Set<number>();
    for (const { operation, outcomes } of this.operations.values()) {
      const told = operation.kind === 'create' && operation.organizationId === organizationId;
      for (const outcome of told ? outcomes : []) if (outcome.kind === 'acknowledged') ids.add(outcome.taskId);
    }
    return [...ids];
  }
}

/** What a refusal tells the client: that nothing was done, or that it does not know. */
export function refusedOutcome(status: number, code: string | undefined): Outcome {
  if (status === 503 && !NOT_DONE.has(code ?? '')) return { kind: 'unknown', why: `503 ${code ?? 'without a code'}` };
  return { kind: 'refused', status, code };
}
