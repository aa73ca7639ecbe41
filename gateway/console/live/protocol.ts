import type { CallerView } from '../../../schema/accounts/caller.ts';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import type { TaskStatus } from '../../../schema/tasks/task.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ShownStatus } from './shown-status.ts';

/** The messages between a page and the worker that holds the live state. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Failure {
  /** 0 when no answer came. */
  readonly status: number;
  readonly code: string | null;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** The engine had decided so under the call's key before, and says it again. */
  readonly isReplayed?: boolean;
  /** An earlier attempt of the call got no answer, and may have been carried out. */
  readonly isOutcomeUnknown?: boolean;
}

/** A request of the page. The worker adds the credential. */
export interface ApiCall {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
  /** An action that may be repeated safely with the same key. */
  readonly key?: string;
  /** The ETag of the record that a change is meant for: another one is refused. */
  readonly ifMatch?: string | undefined;
}

export type Answer<T = unknown> =
  | { readonly ok: true; readonly status: number; readonly data: T; readonly etag?: string | undefined }
  | { readonly ok: false; readonly failure: Failure };

export type Session =
  /** `isCut`: the service does not answer, or refuses the caller, and is asked again. */
  | { readonly state: 'unknown'; readonly isCut: boolean; readonly refusal: Failure | null }
  | { readonly state: 'signed-out'; readonly why: 'never' | 'left' | 'ended' }
  | { readonly state: 'signed-in'; readonly caller: CallerView };

/** `stage`: the columns of the board, which put alike statuses together. */
export type Grouping = 'courier' | 'status' | 'stage';
/** The tasks behind a figure of today. */
export type EndedToday = 'on-time' | 'failed';

/** The list that a page shows, and the part of it that is on the screen. */
export interface ListQuery {
  readonly search: string;
  readonly statuses: readonly TaskStatus[];
  readonly agentId: number | null;
  readonly onlyLate: boolean;
  readonly withDone: boolean;
  /** Only these of the tasks that ended today. */
  readonly ended: EndedToday | null;
  readonly grouping: Grouping;
  readonly closed: readonly string[];
  readonly offset: number;
  readonly limit: number;
  /** The reader points at the list: the order stands still, and new rows are counted. */
  readonly isHeld: boolean;
  /** The tasks that the next action is about, wherever they are. */
  readonly selected: readonly number[];
}

/** The columns of the board that are on the screen, and the part of each that is. */
export interface BoardQuery {
  readonly list: ListQuery;
  readonly ranges: Readonly<Record<string, { readonly offset: number; readonly limit: number }>>;
}

export interface Watch {
  readonly list: ListQuery | null;
  readonly board: BoardQuery | null;
  readonly taskId: number | null;
  /** The courier whose day is open. */
  readonly courierId: number | null;
  readonly map: boolean;
}

/** The worker alone can answer it: a page has only the rows near its screen. The answer is ids of tasks. */
export type Question =
  /** The tasks of the list or the column that is shown, from one to another. Empty where it has not both. */
  | { readonly about: 'between'; readonly from: number; readonly to: number }
  /** Which of the tasks an agent or an external courier has. */
  | { readonly about: 'given'; readonly taskIds: readonly number[] }
  /** Which of the tasks a courier of any kind has who is not done with it. */
  | { readonly about: 'with-courier'; readonly taskIds: readonly number[] };

export type ToWorker =
  | { readonly kind: 'call'; readonly id: number; readonly call: ApiCall }
  /** The bytes behind a path of the API, as a data URL. */
  | { readonly kind: 'file'; readonly id: number; readonly path: string }
  | { readonly kind: 'question'; readonly id: number; readonly question: Question }
  | { readonly kind: 'sign-in'; readonly id: number; readonly email: string; readonly password: string }
  | { readonly kind: 'sign-out' }
  | { readonly kind: 'watch'; readonly watch: Watch }
  /** This page has made a courier. */
  | { readonly kind: 'meet'; readonly agentId: number }
  /** The page has painted a patch and takes another one. `drawMs`: how long that took with pins in it; null without. */
  | { readonly kind: 'painted'; readonly drawMs: number | null }
  | { readonly kind: 'leave' };

export interface Connection {
  /** `cut` shows what was true at `seenAtMs`. */
  readonly state: 'loading' | 'live' | 'cut';
  /** By the server's clock, in milliseconds. */
  readonly seenAtMs: number;
  /** Add it to this machine's clock to get the server's. */
  readonly clockOffsetMs: number;
  /** From the commit of the last event to its arrival; null before the first. */
  readonly lagMs: number | null;
  /** How many changes the last resume brought. */
  readonly missed: number;
  /** Counts the resumes, so that a page notices each once. */
  readonly resumes: number;
  readonly problem: string | null;
}

/** A task as a row, a card or a pin shows it. */
export interface TaskRow {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly customer: string;
  readonly address: string;
  readonly status: TaskStatus;
  readonly shown: ShownStatus;
  /** When it was completed or cancelled; null while it is open. */
  readonly endedAtMs: number | null;
  readonly taskType: TaskView['taskType'];
  /** It has tasks of its own, and neither a courier nor actions but to be cancelled. */
  readonly isJob: boolean;
  readonly outcome: TaskView['outcome'];
  readonly dueAtMs: number;
  readonly etaAtMs: number | null;
  /** When the courier came to the place; the ETA then stands still. */
  readonly arrivedAtMs: number | null;
  readonly isLate: boolean;
  readonly agentId: number | null;
  readonly search: string | null;
  readonly attempt: number;
  /** When it came while the console was open; 0 for those of the snapshot. */
  readonly cameAtMs: number;
}

export type ListEntry =
  | {
      readonly kind: 'group';
      readonly key: string;
      readonly count: number;
      readonly late: number;
      readonly closed: boolean;
    }
  | { readonly kind: 'task'; readonly row: TaskRow };

export interface ListPart {
  /** The search that it answers. */
  readonly search: string;
  readonly offset: number;
  readonly entries: readonly ListEntry[];
  readonly total: number;
  readonly tasks: number;
  /** Rows that came while the list was held. */
  readonly waiting: number;
  /** The selected tasks that do not belong to the list. */
  readonly away: readonly number[];
}

export interface BoardColumn {
  readonly key: string;
  readonly count: number;
  readonly late: number;
  readonly offset: number;
  /** Empty for a column that is not on the screen. */
  readonly rows: readonly TaskRow[];
}

export interface BoardPart {
  /** The columns that have tasks, in order. */
  readonly columns: readonly BoardColumn[];
  readonly tasks: number;
  /** Rows that came while the board was held. */
  readonly waiting: number;
  /** The selected tasks that do not belong to the board. */
  readonly away: readonly number[];
}

export interface Figures {
  readonly open: number;
  readonly unassigned: number;
  readonly late: number;
  readonly doneToday: number;
  readonly onTimeToday: number;
  readonly failedToday: number;
  readonly onDuty: number;
  readonly free: number;
  readonly byStatus: Readonly<Record<TaskStatus, number>>;
  /** The place in the log at which the figures were true. */
  readonly sequence: number;
}

export interface Courier {
  readonly id: number;
  readonly name: string;
  readonly phone: string | null;
  readonly onDuty: boolean;
  readonly isActive: boolean;
  readonly vehicle: string | null;
  readonly open: number;
  readonly late: number;
  readonly recordedAtMs: number | null;
  /** He may say that he is still there without a new position. */
  readonly heardAtMs: number | null;
  readonly activeTaskId: number | null;
}

/** A stop of a courier's day, done or to come. */
export interface DayStop {
  readonly row: TaskRow;
  readonly windowStartMs: number | null;
  readonly windowEndMs: number | null;
  /** When the courier is expected at the pickup; null once it is picked up. */
  readonly pickupEtaMs: number | null;
}

/** The day of a courier: duty, load, and the stops in the order of the plan. */
export interface CourierDay {
  readonly agentId: number;
  readonly dutySinceMs: number | null;
  /** The present or the next one. */
  readonly shift: AgentView['shift'];
  readonly skills: readonly string[];
  readonly maxWeightKg: number | null;
  readonly maxPackages: number | null;
  /** The weight of the open tasks. */
  readonly weightKg: number;
  readonly packages: number;
  readonly accuracyM: number | null;
  readonly isStale: boolean;
  readonly stops: readonly DayStop[];
}

/** The changes of a list since the last patch that held some of it. */
export interface ListDiff<Item> {
  /** The page forgets what it had. */
  readonly isWhole: boolean;
  /** Items that are new or have changed. */
  readonly put: readonly Item[];
  /** Ids of items that are no longer in the list. */
  readonly gone: readonly number[];
}

export interface CourierPin {
  readonly id: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly heading: number | null;
  readonly recordedAtMs: number;
  readonly isStale: boolean;
  readonly state: 'free' | 'busy' | 'late' | 'off';
}

export interface TaskPin {
  readonly id: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly pickup: readonly [longitude: number, latitude: number] | null;
  readonly status: TaskStatus;
  readonly isLate: boolean;
  readonly agentId: number | null;
  readonly etaAtMs: number | null;
  /** Its place among the stops of its courier: the present one first, then by the expected time. */
  readonly order: number;
}

/** The kinds of trouble, the most urgent one first. */
export const EXCEPTION_KINDS = ['late', 'nobody', 'lost-courier', 'left-courier', 'at-risk', 'failed'] as const;
export type ExceptionKind = (typeof EXCEPTION_KINDS)[number];

/** One thing that does not go as planned. It leaves the list when its cause is gone. */
export interface Exception {
  /** The same for the same trouble, however often the list is made. */
  readonly key: string;
  readonly kind: ExceptionKind;
  /** When the trouble began; null when nobody knows. */
  readonly sinceMs: number | null;
  /** The task that is in trouble; null for a courier. */
  readonly task: TaskRow | null;
  readonly agentId: number | null;
  readonly courier: string | null;
  /** Why nobody was found, or why the attempt failed; by the words of the API. */
  readonly reason: string | null;
  /** The open tasks of a courier in trouble. */
  readonly taskIds: readonly number[];
}

export interface ExceptionList {
  /** The most urgent ones of each kind, a hundred at most. */
  readonly items: readonly Exception[];
  readonly counts: Readonly<Record<ExceptionKind, number>>;
  readonly total: number;
}

/** Only what has changed since the last one. */
export interface Patch {
  readonly connection?: Connection;
  readonly figures?: Figures;
  readonly exceptions?: ExceptionList;
  readonly couriers?: ListDiff<Courier>;
  readonly list?: ListPart;
  readonly board?: BoardPart;
  readonly task?: TaskView | null;
  /** Counts the news of the payments of the open task. */
  readonly paymentNews?: number;
  readonly courierDay?: CourierDay | null;
  readonly courierPins?: ListDiff<CourierPin>;
  readonly taskPins?: ListDiff<TaskPin>;
}

export type FromWorker =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'patch'; readonly patch: Patch };
