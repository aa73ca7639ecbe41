import type { DeliveryView } from '../../../schema/notices/webhook.ts';
import { nowMs } from '../page/state.ts';

const SOON_MS = 30_000;

/** Whether a delivery is about to be attempted. A component that asks is drawn again when that time comes near. */
export function isAwaited({ state, nextAttemptAt }: Pick<DeliveryView, 'state' | 'nextAttemptAt'>): boolean {
  return state === 'pending' && (nextAttemptAt === null || Date.parse(nextAttemptAt) - nowMs.value < SOON_MS);
}
