import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { findTrackingToken, trackingTokenOf } from '../../domain/tasks/tracking-token.ts';

const PREFIX = '/t/';

/** Where whoever waits for a task follows it. */
export function trackingUrlOf(task: Pick<TaskRecord, 'organizationId' | 'id' | 'trackingToken'>): string {
  return `${PREFIX}${trackingTokenOf(task)}`;
}

/** The secret in such an address. */
export function secretOf(trackingUrl: string): string {
  const token = findTrackingToken(trackingUrl.slice(PREFIX.length));
  if (!token) throw new Error(`${PREFIX}… is no tracking link`);
  return token.secret;
}
