import type { ChangeStatusInput } from './change-status.ts';
import type { CreateTaskInput } from './create-task.ts';
import type { Refusal } from './errors.ts';

/** Who asks. Rules take it as input; history and events name it. */
export interface Caller {
  readonly type: 'channel' | 'user' | 'system';
  readonly id: number | null;
  /** The channel that a task is made for when the request names none. */
  readonly channelId: number;
}

/** A retry is told from a second request by these; kept in the commit of the effect. */
export interface IdempotencyKey {
  /** Who sent what where: channel or user, method, canonical path and query. */
  readonly scope: string;
  readonly key: string;
  /** Hash of the parsed body, key order and white space ignored. */
  readonly fingerprint: string;
}

interface CommandBase {
  readonly caller: Caller;
  readonly idempotency?: IdempotencyKey | undefined;
}

export interface CreateTask extends CommandBase {
  readonly kind: 'create-task';
  readonly input: CreateTaskInput;
}

export interface ChangeTaskStatus extends CommandBase {
  readonly kind: 'change-task-status';
  readonly taskId: number;
  readonly input: ChangeStatusInput;
}

export interface ReadTask extends CommandBase {
  readonly kind: 'read-task';
  readonly taskId: number;
}

/** The organization's timers are due. */
export interface WakeUp extends CommandBase {
  readonly kind: 'wake-up';
}

export type Command = CreateTask | ChangeTaskStatus | ReadTask | WakeUp;

/** How the engine answered. `data` is encoded JSON: the `data` of the envelope. */
export type Answer =
  | {
      readonly ok: true;
      readonly status: 200 | 201;
      readonly data: string;
      /** Sequence of the organization's log at which the answer was true. */
      readonly sequence: number;
      readonly replayed?: boolean;
    }
  | { readonly ok: false; readonly refusal: Refusal; readonly replayed?: boolean };
