import { LIMITS } from '../../../schema/limits.ts';
import type { TaskText } from './task-texts.ts';

/** A page would hold more than LIMITS.listPageChars. */
export class PageTooLargeError extends Error {}

/** The text that one page holds. Large jobs show megabytes of children each, and a hundred of them would take the memory of all others. */
export class PageRoom {
  #chars = 0;
  readonly #counted = new Set<number>();

  /** Counts a task of the page once, however often a statement has to be repeated, and returns it. Throws PageTooLargeError. */
  take(text: TaskText): TaskText {
    if (this.#counted.has(text.id)) return text;
    this.#counted.add(text.id);
    this.#chars += text.json.length;
    if (this.#chars > LIMITS.listPageChars) throw new PageTooLargeError('the page is too large');
    return text;
  }
}
