import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { findTrackingToken, trackingTokenOf } from '../../domain/tasks/tracking-token.ts';

const PREFIX = '/t/';

/** Returns the URL path of the task's tracking page. */
export function trackingUrlOf(task: Pick<TaskRecord, 'organizationId' | 'id' | 'trackingToken'>): string {
  return `${PREFIX}${trackingTokenOf(task)}`;
}

/** Returns the secret token in a tracking URL. */
export function secretOf(trackingUrl: string): string {
  const token = findTrackingToken(trackingUrl.slice(PREFIX.length));
  if (!token) throw new Error(`${PREFIX}… is no tracking link`);
  return token.secret;
}
