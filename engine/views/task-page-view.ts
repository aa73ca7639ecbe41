import type { ShownTask } from '../../schema/tasks/task.ts';
import { encodeTask } from './task-view.ts';

/** The JSON of a page of tasks. */
export function encodeTaskPage(page: {
  readonly items: readonly ShownTask[];
  readonly count: number;
  readonly nextCursor: string | null;
}): string {
  const cursor = page.nextCursor === null ? 'null' : `"${page.nextCursor}"`;
  return `{"items":[${page.items.map(encodeTask).join(',')}],"count":${page.count},"nextCursor":${cursor}}`;
}
