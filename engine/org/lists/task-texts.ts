import type { ListCursor, TaskSort } from '../../../schema/tasks/list-tasks.ts';
import { type ShownTask, TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { dueAtOf } from '../../domain/tasks/delay.ts';
import { encodeTask } from '../../views/task-view.ts';
import { RecencyMap } from '../state/recency-map.ts';

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
}

/**
 * The tasks that pages showed, each under its stamp. A stamp names the versions of all that a task shows, so a text is
 * right wherever its stamp is read, and no change has to be followed here. One process has one such store for all
 * organizations, bounded by the length of its texts.
 */
export class TaskTexts {
  readonly #kept = new RecencyMap<string, Kept>();
  readonly #mostChars: number;
  #chars = 0;

  constructor(mostChars: number) {
    this.#mostChars = mostChars;
  }

  /** UTF-16 units of all texts. */
  get chars(): number {
    return this.#chars;
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
    const key = keyOf(organizationId, text.id);
    this.#chars += text.json.length - (this.#kept.get(key)?.text.json.length ?? 0);
    this.#kept.set(key, { stamp, text });
    if (this.#chars <= this.#mostChars) return;
    for (const [oldest, left] of this.#kept.entries()) {
      this.#kept.delete(oldest);
      this.#chars -= left.text.json.length;
      if (this.#chars <= this.#mostChars) break;
    }
  }
}

const keyOf = (organizationId: number, id: number) => `${organizationId} ${id}`;

export function textOf(shown: ShownTask): TaskText {
  const { task } = shown;
  const { id, createdAt, updatedAt, scheduledAt, status } = task;
  const keys = { createdAt, updatedAt, scheduledAt, dueAt: dueAtOf(task), status: TASK_STATUSES.indexOf(status) };
  return { id, json: encodeTask(shown), keys };
}
