import * as v from 'valibot';
import { EVENT_TYPES } from '../events.ts';
import { boolean, id, integerBetween, isoTime, isStorableText, longText, oneOf, queryList } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { idListQuery, listQuery, pageView } from '../fields/page-query.ts';
import { countOfPage, nullableId, nullableTime, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';
import { TASK_STATUSES } from '../tasks/task.ts';

/** Why the workers have stopped telling a webhook: it answered 410, or nothing but failures for days. */
export const DISABLED_REASONS = named('WebhookDisabledReason', ['gone', 'failing'] as const);
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A row of `webhooks`. */
export interface WebhookRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  /** The channel whose key made it; null: an administrator made it. */
  readonly channelId: number | null;
  readonly url: string;
  /** Types, `task.*` and the like, or `*`. */
  readonly events: readonly string[];
  /** null: any status. Narrows `task.status_changed` alone. */
  readonly statuses: readonly string[] | null;
  /** null: of all channels. */
  readonly channelIds: readonly number[] | null;
  readonly description: string | null;
  readonly concurrency: number;
  /** `whsec_` and 32 bytes in base64. */
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousSecretUntil: string | null;
  readonly isActive: boolean;
  readonly activeSince: string;
  readonly startSequence: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * One attempt in the log of deliveries: `status` is null when no answer began, `excerpt` is the start of the answer.
 */
export const attemptView = named(
  'DeliveryAttempt',
  v.object({
    at: shownTime,
    status: v.nullable(v.number()),
    error: v.nullable(v.string()),
    excerpt: v.nullable(v.string()),
    durationMs: v.number(),
  }),
);
export type Attempt = v.InferOutput<typeof attemptView>;

export const DELIVERY_STATES = named('DeliveryState', ['pending', 'succeeded', 'failed'] as const);
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Neither in the log nor anybody's to ask for: POST /webhooks/:id/test sends it. */
export const TEST_EVENT = 'webhook.test';

/** Types beside those of the log: of the moment, and of later releases. */
const TOLD_TYPES = [
  ...new Set<string>([
    ...EVENT_TYPES,
    'agent.locations_updated',
    ...['created', 'accepted', 'rejected', 'expired', 'cancelled'].map((step) => `assignment_request.${step}`),
    ...['succeeded', 'failed', 'refunded'].map((end) => `payment.${end}`),
  ]),
];
const FAMILIES = [...new Set(TOLD_TYPES.map((type) => `${type.slice(0, type.indexOf('.'))}.*`))];

/** `active`: it gets events. `inactive`: switched off. `disabled`: the workers have given it up. */
const WEBHOOK_STATUSES = named('WebhookStatus', ['active', 'inactive', 'disabled'] as const);

/** A webhook in answers: without its secrets, with the health of its endpoint. */
export interface Webhook
  extends Omit<WebhookRecord, 'secret' | 'previousSecret' | 'previousSecretUntil' | 'activeSince' | 'startSequence'> {
  readonly status: (typeof WEBHOOK_STATUSES)[number];
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: string | null;
  /** When the first of its failures was; null after a success. */
  readonly failingSince: string | null;
}

/** Each once, at least one, at most `max`. */
function someOf<const T extends v.GenericSchema>(item: T, max: number) {
  return v.pipe(
    v.array(item, 'must be an array'),
    v.minLength(1, 'must not be empty'),
    v.maxLength(max, `must hold at most ${max} items`),
    v.transform((items) => [...new Set(items)]),
  );
}

const url = v.pipe(
  v.string('must be a string'),
  v.maxLength(LIMITS.webhookUrlChars, `must be at most ${LIMITS.webhookUrlChars} characters`),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? complaintOf(dataset.value) : undefined;
    if (message) addIssue({ message });
  }),
);

/** URLs that no webhook may have, for any host. */
function complaintOf(text: string): string | undefined {
  // The URL parser would pass over them.
  if (/[\s\p{Cc}]/u.test(text)) return 'must not contain spaces or control characters';
  if (!isStorableText(text) || !URL.canParse(text)) return 'must be a URL like https://example.com/hook';
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://';
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  return text.includes('#') ? 'must not contain a fragment' : undefined;
}

const events = someOf(oneOf(['*', ...FAMILIES, ...TOLD_TYPES]), LIMITS.webhookEvents);
const statuses = someOf(oneOf(TASK_STATUSES), TASK_STATUSES.length);
const channelIds = someOf(id, LIMITS.listItems);
const concurrency = integerBetween(
  1,
  LIMITS.webhookConcurrency,
  `must be an integer between 1 and ${LIMITS.webhookConcurrency}`,
);
const BODY = 'the body must be an object';

/** The body of POST /webhooks. An absent field narrows nothing; `concurrency` is 1 by default. */
export const createWebhookInput = named(
  'CreateWebhookInput',
  v.object(
    {
      url,
      events,
      statuses: v.nullish(statuses),
      channelIds: v.nullish(channelIds),
      description: v.nullish(longText),
      concurrency: v.nullish(concurrency),
    },
    BODY,
  ),
);
export type CreateWebhookInput = v.InferOutput<typeof createWebhookInput>;

/** The body of PATCH /webhooks/:id: what is absent stays; null takes a filter or the description away. */
export const updateWebhookInput = named(
  'UpdateWebhookInput',
  v.object(
    {
      url: v.nullish(url),
      events: v.nullish(events),
      statuses: v.optional(v.nullable(statuses)),
      channelIds: v.optional(v.nullable(channelIds)),
      description: v.optional(v.nullable(longText)),
      concurrency: v.nullish(concurrency),
      isActive: v.nullish(boolean),
    },
    BODY,
  ),
);
export type UpdateWebhookInput = v.InferOutput<typeof updateWebhookInput>;

/** The body of POST /webhooks/:id/replay: events of `from` to `to`, both included, or to the end of the log. */
export const replayInput = v.pipe(
  named('ReplayWebhookInput', v.object({ from: isoTime, to: v.nullish(isoTime) }, BODY)),
  v.forward(
    v.partialCheck([['from'], ['to']], ({ from, to }) => to == null || from <= to, 'must not be before from'),
    ['to'],
  ),
);
export type ReplayInput = v.InferOutput<typeof replayInput>;

/** The query of GET /webhooks. */
export const listWebhooksQuery = listQuery('webhooks', { status: v.optional(queryList(WEBHOOK_STATUSES)) });
export type ListWebhooksQuery = v.InferOutput<typeof listWebhooksQuery>;

/** The query of GET /webhooks/:id/deliveries. */
export const listDeliveriesQuery = idListQuery('deliveries', {
  state: v.optional(oneOf(DELIVERY_STATES)),
  type: v.optional(oneOf([...TOLD_TYPES, TEST_EVENT])),
});
export type ListDeliveriesQuery = v.InferOutput<typeof listDeliveriesQuery>;

export const webhookView = named(
  'Webhook',
  v.object({
    id: shownId,
    url: v.string(),
    events: v.array(v.string()),
    statuses: v.nullable(v.array(v.string())),
    channelIds: v.nullable(v.array(shownId)),
    channelId: nullableId,
    description: v.nullable(v.string()),
    concurrency: shownInteger,
    isActive: v.boolean(),
    status: v.picklist(WEBHOOK_STATUSES),
    disabledReason: v.nullable(v.picklist(DISABLED_REASONS)),
    disabledAt: nullableTime,
    failingSince: v.nullable(v.string()),
    createdAt: shownTime,
    updatedAt: shownTime,
  }),
);
export type WebhookView = v.InferOutput<typeof webhookView>;

/** The webhook with the secret that signs from now on, which is shown this once. */
export const webhookSecretView = named('WebhookWithSecret', v.object({ ...webhookView.entries, secret: v.string() }));

export const webhookListView = pageView('WebhookList', webhookView);

const deliveryEntries = {
  id: shownId,
  webhookId: shownId,
  eventId: v.string(),
  type: v.string(),
  sequence: nullableId,
  state: v.picklist(DELIVERY_STATES),
  attempt: shownInteger,
  attempts: v.array(attemptView),
  nextAttemptAt: nullableTime,
  createdAt: shownTime,
};
/** A delivery without what was sent. */
export const deliveryFacts = v.object(deliveryEntries);

/** A delivery as the log of deliveries has it. */
export interface Delivery extends Readonly<v.InferOutput<typeof deliveryFacts>> {
  /** Where its webhook is now. */
  readonly url: string;
  /** JSON; null when its event is no longer kept. */
  readonly body: string | null;
}

/** `body` is null when the event is no longer kept. */
export const deliveryView = named(
  'Delivery',
  v.object({
    ...deliveryEntries,
    request: named(
      'DeliveryRequest',
      v.object({ url: v.string(), body: v.nullable(v.record(v.string(), v.unknown())) }),
    ),
  }),
);
export type DeliveryView = v.InferOutput<typeof deliveryView>;

/** Newest first; `count` is that of the page, `nextCursor` is null at the end. */
export const deliveryPageView = named(
  'DeliveryPage',
  v.object({
    items: v.array(deliveryView),
    count: countOfPage,
    nextCursor: v.nullable(v.string()),
  }),
);

/** A delivery that has been ordered, as it will be. */
export const orderedDeliveryView = named(
  'OrderedDelivery',
  v.object({
    id: shownId,
    state: v.literal('pending'),
    type: v.string(),
    eventId: v.string(),
  }),
);

/** The events to search for those that the webhook gets: `count` of them; null for none. */
export const replayView = named(
  'Replay',
  v.object({
    fromSequence: nullableId,
    toSequence: nullableId,
    count: shownInteger,
  }),
);
