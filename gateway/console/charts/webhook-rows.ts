import type { DeliveryView, WebhookView } from '../../../schema/notices/webhook.ts';
import type { Answer } from '../live/protocol.ts';
import { listPages } from '../records/list-pages.ts';

/** So many deliveries of each webhook. */
export const NEWEST = 100;

export interface Row {
  readonly webhook: WebhookView;
  readonly deliveries: readonly DeliveryView[];
}

/** Every webhook with its newest deliveries; a refusal is the answer. */
export async function readRows(read: <T>(path: string) => Promise<Answer<T>>): Promise<Answer<readonly Row[]>> {
  const rows: Row[] = [];
  for await (const list of listPages<WebhookView>('/webhooks', read)) {
    if (!list.ok) return list;
    for (const webhook of list.data.items) {
      const answer = await read<{ items: DeliveryView[] }>(`/webhooks/${webhook.id}/deliveries?limit=${NEWEST}`);
      if (!answer.ok) return answer;
      rows.push({ webhook, deliveries: answer.data.items });
    }
  }
  return { ok: true, status: 200, data: rows };
}
