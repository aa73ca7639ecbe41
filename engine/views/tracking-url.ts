import type { TaskRecord } from '../../schema/task.ts';
import { trackingTokenOf } from '../../schema/tracking.ts';

/** Where whoever waits for a task follows it. */
export function trackingUrlOf(task: Pick<TaskRecord, 'organizationId' | 'id' | 'trackingToken'>): string {
  return `/t/${trackingTokenOf(task)}`;
}

/** The secret in such an address. */
export function secretOf(trackingUrl: string): string {
  return trackingUrl.replace(/^\/t\/\d+-\d+-/, '');
}
