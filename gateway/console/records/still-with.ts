import type { Answer } from '../live/protocol.ts';

export interface TaskPage {
  readonly items: readonly { readonly id: number }[];
  readonly nextCursor: string | null;
}

/** The tasks among these that the agent has now and that are not over, by the API: the stream may be a moment behind it. */
export async function stillWith(
  agentId: number,
  ids: readonly number[],
  read: (path: string) => Promise<Answer<TaskPage>>,
): Promise<Answer<readonly number[]>> {
  const held = new Set<number>();
  const first = `/tasks?agentId=${agentId}&status=assigned,accepted,in_transit&limit=100`;
  for (let path = first; ; ) {
    const answer = await read(path);
    if (!answer.ok) return answer;
    const { items, nextCursor } = answer.data;
    for (const { id } of items) held.add(id);
    if (nextCursor === null) return { ...answer, data: ids.filter((id) => held.has(id)) };
    path = `${first}&cursor=${encodeURIComponent(nextCursor)}`;
  }
}
