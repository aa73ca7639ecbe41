import { letterheadOf } from '../../../schema/accounts/letterhead.ts';
import type { NoticeKind } from '../../../schema/notices/notification.ts';
import type { NoticeFacts } from '../../../workers/notifications/notice.ts';

/** A task with everything that a notice may tell. */
export function noticeFacts<Kind extends NoticeKind>(
  {
    organizationName = 'Acme',
    ...facts
  }: Partial<NoticeFacts> & { readonly kind: Kind; readonly organizationName?: string },
  task: Partial<NoticeFacts['task']> = {},
): NoticeFacts & { readonly kind: Kind } {
  return {
    letterhead: letterheadOf({ name: organizationName, settings: {} }),
    customerName: 'Ada Lovelace',
    now: '2026-11-22T13:00:00.000Z',
    ...facts,
    task: {
      id: 5,
      code: 'T-1',
      name: 'Two boxes',
      status: 'in_transit',
      trackingUrl: 'https://dispatch.example.com/t/abc',
      etaAt: null,
      timeWindowStart: '2026-11-22T14:00:00.000Z',
      timeWindowEnd: '2026-11-22T16:00:00.000Z',
      address: '12 Baker Street',
      ...task,
    },
  };
}
