import type { Page } from 'playwright-core';
import { shownStatusOf } from '../../../../gateway/console/live/shown-status.ts';
import { text } from '../../../../gateway/console/text/english.ts';
import type { TaskView } from '../../../../schema/tasks/task-view.ts';
import { until } from '../../../support/until.ts';
import { searchOf } from './day-hands.ts';
import type { DayPlace } from './day-place.ts';

const OPEN = 'new,awaiting_assignment,assigned,accepted,in_transit';
const PAGE = 100;
/**
 * The list as it is read from its top to its end: each task below the name of its courier, with the word for its status.
 * It holds the rows near the screen alone, so that it is scrolled, and each part of it awaited.
 */
const READ = `(async () => {
  const list = document.querySelector('.virtual');
  if (!list) return [];
  const rows = new Map();
  for (let top = 0; top === 0 || top < list.scrollHeight; top += list.clientHeight) {
    list.scrollTop = top;
    for (let looks = 0; looks < 50; looks++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      for (const row of list.querySelectorAll('.virtual-row')) rows.set(Number(row.ariaPosInSet), row.cloneNode(true));
      const { bottom } = list.getBoundingClientRect();
      const last = [...list.querySelectorAll('.virtual-row')].at(-1);
      if (!last || last.ariaPosInSet === last.ariaSetSize || last.getBoundingClientRect().bottom >= bottom) break;
    }
  }
  list.scrollTop = 0;
  let group = '';
  return [...rows].sort(([one], [other]) => one - other).flatMap(([, row]) => {
    const name = row.querySelector('.group-row strong');
    if (name) group = name.textContent;
    const task = row.querySelector('.task-row');
    return task ? [task.dataset.task + ' ' + group + ': ' + task.querySelector('.hidden').textContent] : [];
  });
})()`;

/** Every open task of the API, in the words of the list. */
async function tasksOfApi({ api }: DayPlace): Promise<string[]> {
  const tasks: TaskView[] = [];
  for (let page = 1, count = 1; tasks.length < count; page++) {
    const { data } = (await api.list(`status=${OPEN}&limit=${PAGE}&page=${page}`)).body;
    tasks.push(...data.items);
    count = data.items.length === 0 ? 0 : data.count;
  }
  return tasks.map((task) => {
    const courier = task.agent ? `${task.agent.user.firstName} ${task.agent.user.lastName}` : text.list.unassigned;
    return `${task.id} ${courier}: ${text.status[shownStatusOf(task)]}`;
  });
}

/** Waits until the list shows every open task of the API as the API has it, and nothing else. Returns its rows. */
export async function assertSameAsApi(page: Page, place: DayPlace): Promise<readonly string[]> {
  let rows: readonly string[] = [];
  let differences: readonly string[] = [];
  const isSame = async () => {
    rows = await page.evaluate<string[]>(READ);
    const own = await tasksOfApi(place);
    differences = [
      ...rows.filter((row) => !own.includes(row)).map((row) => `only on the screen: ${row}`),
      ...own.filter((row) => !rows.includes(row)).map((row) => `only in the API: ${row}`),
    ];
    return differences.length === 0;
  };
  await until('the list is that of the API', isSame).catch((error: Error) => {
    throw new Error([error.message, ...differences].join('\n'), { cause: error });
  });
  return rows;
}

/** Without a search, and without the pointer, which would hold it. */
export async function leaveList(page: Page): Promise<void> {
  await searchOf(page).fill('');
  await page.mouse.move(700, 5);
}
