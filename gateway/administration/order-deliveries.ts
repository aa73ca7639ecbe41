import { isoTime } from '../../engine/runtime/clock.ts';
import { newSecret } from '../../engine/runtime/secrets.ts';
import { readDelivery } from '../../engine/store/webhooks/delivery-log.ts';
import {
  drawDeliveryId,
  findLogSpan,
  insertOrder,
  type WebhookOrder,
} from '../../engine/store/webhooks/webhook-order-store.ts';
import { encodeTestEvent } from '../../engine/views/webhook-view.ts';
import { notFound, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type ReplayInput, TEST_EVENT } from '../../schema/notices/webhook.ts';
import type { ById, ParsedRequest, RouteAnswer } from '../route.ts';
import type { PlannedChange } from './administer.ts';
import { administerAndAnnounce, administerOne, ownChannelOf } from './administer-webhooks.ts';
import type { Administration } from './open-administration.ts';

const TEST_ID_CHARS = 24;

/** Orders a test event. */
export function orderTest(administration: Administration, request: ParsedRequest<ById>): Promise<RouteAnswer> {
  const { sql } = administration;
  return administerOne(administration, request, async (webhook, now) => {
    const deliveryId = await drawDeliveryId(sql);
    const eventId = newSecret('evt_test_', TEST_ID_CHARS);
    const body = encodeTestEvent(webhook, request.identity.caller, eventId, now);
    const data = JSON.stringify({ id: deliveryId, state: 'pending', type: TEST_EVENT, eventId });
    return planned(
      administration,
      request,
      { webhookId: webhook.id, now, data },
      { kind: 'test', deliveryId, eventId, body },
    );
  });
}

/** Orders one more attempt of a delivery, as long as there is something to send. */
export function orderRedelivery(administration: Administration, request: ParsedRequest<ById>): Promise<RouteAnswer> {
  const { organizationId } = request.identity;
  const deliveryId = request.params.id;
  return administerAndAnnounce(administration, request, async (now) => {
    const found = await readDelivery(administration.sql, organizationId, ownChannelOf(request.identity), deliveryId);
    if (!found) return { refusal: notFound('Delivery', deliveryId) };
    const { webhookId, type, eventId, body } = found.delivery;
    if (body === null) return { refusal: refusal('EVENTS_EXPIRED', 'The event is no longer kept') };
    const data = JSON.stringify({ id: deliveryId, state: 'pending', type, eventId });
    return planned(administration, request, { webhookId, now, data }, { kind: 'redelivery', deliveryId });
  });
}

/** Orders a new look through a stretch of the log. Later events are delivered anyway. */
export function orderReplay(
  administration: Administration,
  request: ParsedRequest<ById, unknown, ReplayInput>,
): Promise<RouteAnswer> {
  const { organizationId } = request.identity;
  const { from, to } = request.body;
  const span = { from, to: to ?? isoTime(LIMITS.latestTimeMs) };
  return administerOne(administration, request, async ({ id: webhookId }, now) => {
    const { after, last, isExpired } = await findLogSpan(administration.sql, organizationId, span);
    if (isExpired) return { refusal: refusal('EVENTS_EXPIRED', 'Events of this time are no longer kept') };
    const count = last - after;
    const data = JSON.stringify(
      count === 0
        ? { fromSequence: null, toSequence: null, count }
        : { fromSequence: after + 1, toSequence: last, count },
    );
    if (count === 0) return { answer: { ...ACCEPTED, data } };
    return planned(
      administration,
      request,
      { webhookId, now, data },
      { kind: 'replay', afterSequence: after, lastSequence: last },
    );
  });
}

const ACCEPTED = { status: 202, message: 'Accepted' };
const ACTIONS = { test: 'webhook.tested', redelivery: 'webhook.redelivered', replay: 'webhook.replayed' } as const;

/** `data` is answered, and stands in the audit log. */
function planned(
  { sql }: Administration,
  { identity: { organizationId, caller } }: ParsedRequest<unknown>,
  { webhookId, now, data }: { readonly webhookId: number; readonly now: string; readonly data: string },
  order: WebhookOrder,
): PlannedChange {
  const note = {
    organizationId,
    recordType: 'webhook',
    recordId: webhookId,
    caller,
    before: null,
    after: data,
  } as const;
  return {
    answer: { ...ACCEPTED, data },
    write: {
      change: insertOrder(sql, { organizationId, webhookId, now }, order),
      notes: [{ ...note, action: ACTIONS[order.kind] }],
      elseRefusal: refusal('TOO_MANY_ORDERS'),
      revokes: false,
    },
  };
}
