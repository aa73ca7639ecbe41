import type { DeliveryView, WebhookView } from '../../../schema/notices/webhook.ts';
import type { Answer } from '../live/protocol.ts';
import { listPages } from '../records/list-pages.ts';

/** So many deliveries of each webhook. */
export const NEWEST = 100;
/** So many rows are shown at first, and more by each press of the button; a round reads so many, each by a call of its own. */
export const STEP = 10;

export interface Row {
  readonly webhook: WebhookView;
  /** Null until they have been read. */
  readonly deliveries: readonly DeliveryView[] | null;
  /** The round that read them. */
  readonly round: number;
}

/**
 * Every webhook, those in trouble first, with the newest deliveries of those that are shown: a round reads a few of them,
 * which were read longest ago or never. A refusal is the answer.
 */
export async function readRows(
  before: readonly Row[],
  shown: number,
  read: <T>(path: string) => Promise<Answer<T>>,
): Promise<Answer<readonly Row[]>> {
  const known = new Map(before.map((row) => [row.webhook.id, row]));
  const rows: Row[] = [];
  for await (const list of listPages<WebhookView>('/webhooks', read)) {
    if (!list.ok) return list;
    for (const webhook of list.data.items) rows.push({ deliveries: null, round: 0, ...known.get(webhook.id), webhook });
  }
  rows.sort((one, other) => Number(isInTrouble(other)) - Number(isInTrouble(one)));
  const round = 1 + Math.max(0, ...before.map((row) => row.round));
  const due = rows.slice(0, shown).sort((one, other) => one.round - other.round);
  for (const row of due.slice(0, STEP)) {
    const answer = await read<{ items: DeliveryView[] }>(`/webhooks/${row.webhook.id}/deliveries?limit=${NEWEST}`);
    if (!answer.ok) return answer;
    rows[rows.indexOf(row)] = { ...row, deliveries: answer.data.items, round };
  }
  return { ok: true, status: 200, data: rows };
}

/** A webhook that somebody has switched off is in none, as in Attention. */
function isInTrouble({ webhook: { status, disabledReason, failingSince } }: Row): boolean {
  return disabledReason !== null || (status === 'active' && failingSince !== null);
}
