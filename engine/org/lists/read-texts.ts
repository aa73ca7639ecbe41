import type { PageRequest } from '../../store/task-lists/task-list-request.ts';
import {
  type PageConnections,
  readStampedPage,
  readStampedTasks,
  readTaskPage,
  type StampedTask,
  type TaskPage,
} from '../../store/task-lists/task-list-store.ts';
import { type TaskText, type TaskTexts, textOf } from './task-texts.ts';

interface TextSources {
  readonly pages: PageConnections;
  readonly texts: TaskTexts;
}

/**
 * Reads a page with the texts of its tasks. Most pages show tasks that others have shown: so a page reads the stamps of
 * its tasks, and then those tasks alone whose texts are not kept.
 */
export async function readTexts(
  sources: TextSources,
  organizationId: number,
  request: PageRequest,
  matching: number | undefined,
): Promise<TaskPage<TaskText>> {
  if (!namesItsTasks(request)) {
    const page = await readStampedPage(sources.pages, organizationId, request, matching);
    const items = await textsOf(sources, organizationId, page.items);
    if (items) return { ...page, items };
  }
  const page = await readTaskPage(sources.pages, organizationId, request, matching);
  return { ...page, items: page.items.map(textOf) };
}

/** Undefined when a task has changed since its stamp was read: its text is not of the page's moment. */
async function textsOf(
  { pages, texts }: TextSources,
  organizationId: number,
  items: readonly StampedTask[],
): Promise<TaskText[] | undefined> {
  const found = new Map<number, TaskText>();
  const missing = new Map<number, string>();
  for (const { id, stamp } of items) {
    const text = texts.find(organizationId, id, stamp);
    if (text) found.set(id, text);
    else missing.set(id, stamp);
  }
  if (missing.size > 0) {
    for (const { stamp, shown } of await readStampedTasks(pages, organizationId, [...missing.keys()])) {
      const text = textOf(shown);
      texts.keep(organizationId, stamp, text);
      if (missing.get(text.id) === stamp) found.set(text.id, text);
    }
  }
  const all = items.flatMap(({ id }) => found.get(id) ?? []);
  return all.length === items.length ? all : undefined;
}

/** Whether a list asks for a few tasks that hardly another list shows: a second statement would cost more than it saves. */
function namesItsTasks({ filter }: PageRequest): boolean {
  const { code, search, customerId, locationId, parentId, integrationData } = filter;
  return [code, search, customerId, locationId, parentId, integrationData].some((part) => part !== undefined);
}
