import { useEffect } from 'preact/hooks';
import type { WebhookView } from '../../../schema/notices/webhook.ts';
import { callApi, may } from '../page/link.ts';
import { ofUser } from '../page/of-user.ts';
import { refusalText } from '../page/refusals.ts';
import { attention } from '../text/english-attention.ts';

/** Webhooks tell no event when they are switched off, so they are read again. */
const READ_EVERY_MS = 30_000;
const PAGE = 100;

export const webhooks = ofUser<readonly WebhookView[]>([]);
/** Why the last reading failed; null when it did not. */
export const webhookProblem = ofUser<string | null>(null);

async function read(): Promise<void> {
  const found: WebhookView[] = [];
  for (let page = 1; ; page++) {
    const answer = await callApi<{ items: WebhookView[]; count: number }>({
      method: 'GET',
      path: `/webhooks?limit=${PAGE}&page=${page}`,
    });
    if (!answer.ok) {
      webhookProblem.value = attention.webhooksFailed(refusalText(answer.failure));
      return;
    }
    found.push(...answer.data.items);
    if (page * PAGE >= answer.data.count) break;
  }
  webhookProblem.value = null;
  webhooks.value = found;
}

/** Keeps the webhooks fresh while the view is open. Returns what reads them at once. */
export function useWebhooks(): () => void {
  const refresh = () => {
    if (may('webhooks:read')) void read();
  };
  useEffect(() => {
    refresh();
    const timer = setInterval(refresh, READ_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return refresh;
}
