import { STAMPED_SHOWN_TASK, TASK_STAMP, type TaskColumns } from '../../store/rows/record-tables.ts';
import type { PageRequest } from '../../store/task-lists/task-list-request.ts';
import {
  type PageConnections,
  readListedTasks,
  readPage,
  type TaskPage,
} from '../../store/task-lists/task-list-store.ts';
import { PageRoom } from './page-room.ts';
import type { RepeatRates } from './repeat-rates.ts';
import { type TaskText, type TaskTexts, textOf } from './task-texts.ts';

export interface TextSources {
  readonly pages: PageConnections;
  readonly texts: TaskTexts;
  readonly repeats: RepeatRates;
}

/** A task and the marks of all rows that it shows: see TASK_STAMP. */
interface StampedTask {
  readonly id: number;
  readonly stamp: string;
}

export const STAMPED_TASK: TaskColumns<StampedTask> = {
  list: `t.id, ${TASK_STAMP}`,
  ofRow: (row) => ({ id: row.at(-2) as number, stamp: row.at(-1) as string }),
};

/**
 * Reads a page with the texts of its tasks. Most pages show tasks that others have shown: so a page reads the stamps of
 * its tasks, and then those tasks alone whose texts are not kept. Where others have hardly shown them, it reads all at
 * once: a second statement would cost more than it saves. Rejects with PageTooLargeError.
 */
export async function readTexts(
  sources: TextSources,
  organizationId: number,
  request: PageRequest,
  matching: number | undefined,
): Promise<TaskPage<TaskText>> {
  if (sources.repeats.isRepeated(organizationId, request)) {
    const page = await readPage(sources.pages, organizationId, request, matching, STAMPED_TASK);
    const items = await textsOf(sources, organizationId, request, page.items);
    if (items) return { ...page, items };
  }
  return readWhole(sources, organizationId, request, matching);
}

/** Reads all tasks of a page in one statement. It learns in passing how many of their texts were kept. */
async function readWhole(
  { pages, texts, repeats }: TextSources,
  organizationId: number,
  request: PageRequest,
  matching: number | undefined,
): Promise<TaskPage<TaskText>> {
  const room = new PageRoom();
  let found = 0;
  const page = await readPage(pages, organizationId, request, matching, {
    list: STAMPED_SHOWN_TASK.list,
    ofRow: (row) => {
      const { stamp, shown } = STAMPED_SHOWN_TASK.ofRow(row);
      const kept = texts.find(organizationId, shown.task.id, stamp);
      if (kept) found++;
      const text = kept ?? textOf(shown);
      if (!kept) texts.keepIfShownBefore(organizationId, stamp, text);
      return room.take(text);
    },
  });
  repeats.note(organizationId, request, found, page.items.length);
  return page;
}

/** Undefined when a task has changed since its stamp was read: its text is not of the page's moment. */
async function textsOf(
  sources: TextSources,
  organizationId: number,
  request: PageRequest,
  items: readonly StampedTask[],
): Promise<TaskText[] | undefined> {
  const room = new PageRoom();
  const found = new Map<number, TaskText>();
  const missing = new Map<number, string>();
  for (const { id, stamp } of items) {
    const text = sources.texts.find(organizationId, id, stamp);
    if (text) found.set(id, room.take(text));
    else missing.set(id, stamp);
  }
  sources.repeats.note(organizationId, request, found.size, items.length);
  if (missing.size > 0) {
    for (const { stamp, text } of await readNewTexts(sources, organizationId, [...missing.keys()], room))
      if (missing.get(text.id) === stamp) found.set(text.id, text);
  }
  const all = items.flatMap(({ id }) => found.get(id) ?? []);
  return all.length === items.length ? all : undefined;
}

/** Reads tasks as they are now, and keeps their texts for other pages. */
function readNewTexts({ pages, texts }: TextSources, organizationId: number, ids: readonly number[], room: PageRoom) {
  return readListedTasks(pages, organizationId, ids, {
    list: STAMPED_SHOWN_TASK.list,
    ofRow: (row) => {
      const { stamp, shown } = STAMPED_SHOWN_TASK.ofRow(row);
      const text = room.take(textOf(shown));
      texts.keep(organizationId, stamp, text);
      return { stamp, text };
    },
  });
}
