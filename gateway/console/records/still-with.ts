import type { Answer } from '../live/protocol.ts';
import { type ListPage, listPages } from './list-pages.ts';

export type TaskPage = ListPage<{ readonly id: number }>;

/** The tasks among these that the agent has now and that are not over, by the API: the stream may be a moment behind it. */
export async function stillWith(
  agentId: number,
  ids: readonly number[],
  read: (path: string) => Promise<Answer<TaskPage>>,
): Promise<Answer<readonly number[]>> {
  const held = new Set<number>();
  for await (const answer of listPages(`/tasks?agentId=${agentId}&status=assigned,accepted,in_transit`, read)) {
    if (!answer.ok) return answer;
    for (const { id } of answer.data.items) held.add(id);
  }
  return { ok: true, status: 200, data: ids.filter((id) => held.has(id)) };
}
