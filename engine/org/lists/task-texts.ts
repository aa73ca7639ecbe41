import { LIMITS } from '../../../schema/limits.ts';
import type { ListCursor, TaskSort } from '../../../schema/tasks/list-tasks.ts';
import { type ShownTask, TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { dueAtOf } from '../../domain/tasks/delay.ts';
import { encodeTask } from '../../views/task-view.ts';
import { BoundedMap } from '../state/bounded-map.ts';
import { ShownBefore } from './shown-before.ts';

/** A task as a page shows it. */
export interface TaskText {
  readonly id: number;
  readonly json: string;
  /** Where it stands in each order. */
  readonly keys: Readonly<Record<TaskSort['sortBy'], ListCursor['key']>>;
}

interface Kept {
  readonly stamp: string;
  readonly text: TaskText;
  readonly bytes: number;
}

/**
 * The tasks that pages showed, each under its stamp. A stamp marks all rows that a task shows, so a text is right wherever
 * its stamp is read, and no change has to be followed here. One process has one such store for all organizations, bounded
 * by the memory that it takes.
 */
export class TaskTexts {
  readonly #kept: BoundedMap<string, Kept>;
  readonly #shown = new ShownBefore();

  constructor(mostBytes: number) {
    this.#kept = new BoundedMap(mostBytes, ({ bytes }) => bytes);
  }

  /** The memory that they take, in bytes. */
  get bytes(): number {
    return this.#kept.taken;
  }

  /** Drops the texts that no page has shown since the sweep before. */
  sweep(): void {
    this.#kept.sweep();
  }

  find(organizationId: number, id: number, stamp: string): TaskText | undefined {
    const key = keyOf(organizationId, id);
    const kept = this.#kept.get(key);
    if (kept?.stamp !== stamp) return undefined;
    this.#kept.touch(key);
    return kept.text;
  }

  /** Keeps the text of a task that was read together with its stamp. */
  keep(organizationId: number, stamp: string, text: TaskText): void {
    this.#kept.set(keyOf(organizationId, text.id), { stamp, text, bytes: bytesOf(text) });
  }

  /**
   * The same for a task of a list whose tasks hardly come again, from its second time on. Most texts of such lists would
   * only leave again, and a text that stays costs the garbage collector more than one that goes with its page.
   */
  keepIfShownBefore(organizationId: number, stamp: string, text: TaskText): void {
    if (this.#shown.note(organizationId, text.id)) this.keep(organizationId, stamp, text);
  }
}

/** V8 keeps a text in two bytes a letter when one of its letters needs them. */
const HAS_WIDE_LETTER = /[^\0-\xff]/;
const bytesOf = ({ json }: TaskText) => LIMITS.listedTaskBytes + json.length * (HAS_WIDE_LETTER.test(json) ? 2 : 1);

const keyOf = (organizationId: number, id: number) => `${organizationId} ${id}`;

export function textOf(shown: ShownTask): TaskText {
  const { task } = shown;
  const { id, createdAt, updatedAt, scheduledAt, status } = task;
  const keys = { createdAt, updatedAt, scheduledAt, dueAt: dueAtOf(task), status: TASK_STATUSES.indexOf(status) };
  return { id, json: encodeTask(shown), keys };
}
