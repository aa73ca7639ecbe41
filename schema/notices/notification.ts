import * as v from 'valibot';
import { boolean, oneOf, queryId, requiredText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { idListQuery } from '../fields/page-query.ts';
import { countOfPage, nullableId, nullableTime, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';
import { type NoticeTemplates, noticeTemplatesSchema } from './notice-templates.ts';
import { webPushToken } from './push-subscription.ts';

/** The kinds of notices. The first are pushed to the devices of a courier, the others mailed to a customer. */
export const PUSH_KINDS = [
  'task_cancelled',
  'task_offered',
  'task_assigned',
  'task_amended',
  'task_unassigned',
] as const;
export const MAIL_KINDS = ['tracking_created', 'tracking_on_the_way', 'tracking_completed'] as const;
export const NOTICE_KINDS = named('NotificationKind', [...PUSH_KINDS, ...MAIL_KINDS] as const);
const NOTICE_CHANNELS = named('NotificationChannel', ['push', 'mail'] as const);
export const PUSH_PLATFORMS = named('PushPlatform', ['ios', 'android', 'web'] as const);

export type PushKind = (typeof PUSH_KINDS)[number];
export type MailKind = (typeof MAIL_KINDS)[number];
export type NoticeKind = (typeof NOTICE_KINDS)[number];
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];
export type PushPlatform = (typeof PUSH_PLATFORMS)[number];

/**
 * `pending`: to be sent, for the first time or again. `sent`: its carrier has accepted it. `failed`: it was refused, or
 * could not be sent in time. `dropped`: its reason had passed.
 */
export const NOTICE_STATUSES = named('NotificationStatus', ['pending', 'sent', 'failed', 'dropped'] as const);
export type NoticeStatus = (typeof NOTICE_STATUSES)[number];

/** The same for every try, so that a reader of two copies can tell. */
export function noticeIdOf({ organizationId, id }: { readonly organizationId: number; readonly id: number }): string {
  return `ntc_${organizationId.toString(36)}_${id.toString(36)}`;
}

const WEB_TOKEN = webPushToken.message;
const isWebToken = (token: string) => webPushToken.requirement(token);
const NOT_AN_OBJECT = 'the body must be an object';

/** The body of POST /notifications/push-token. Of a browser, `token` is the JSON text of its PushSubscription. */
export const pushTokenInput = v.pipe(
  named(
    'RegisterDeviceInput',
    v.object(
      {
        token: requiredText(LIMITS.pushTokenChars),
        platform: oneOf(PUSH_PLATFORMS),
        deviceId: requiredText(LIMITS.deviceIdChars),
      },
      NOT_AN_OBJECT,
    ),
  ),
  v.forward(
    v.partialCheck(
      [['platform'], ['token']],
      ({ platform, token }) => platform !== 'web' || isWebToken(token),
      WEB_TOKEN,
    ),
    ['token'],
  ),
);
export type PushTokenInput = v.InferOutput<typeof pushTokenInput>;

/** A device, without what it is reached by. */
export const deviceView = named(
  'Device',
  v.object({
    deviceId: v.string(),
    platform: v.picklist(PUSH_PLATFORMS),
    registeredAt: shownTime,
  }),
);

export const webPushKeyView = named('WebPushKey', v.object({ publicKey: v.string() }));

/** Which mails the customers of an organization get; none of them unless it says so. */
export interface CustomerMail {
  readonly created: boolean;
  readonly onTheWay: boolean;
  readonly completed: boolean;
}

export interface NotificationSettings {
  readonly customerMail: CustomerMail;
  readonly templates: NoticeTemplates;
}

export const DEFAULT_SETTINGS: NotificationSettings = {
  customerMail: { created: false, onTheWay: false, completed: false },
  templates: {},
};

const customerMailInput = named(
  'CustomerMailInput',
  v.object(
    { created: v.nullish(boolean), onTheWay: v.nullish(boolean), completed: v.nullish(boolean) },
    'must be an object',
  ),
);

/** The body of PUT /notifications/settings: what is absent is as it is by default. */
export const notificationSettingsInput = named(
  'NotificationSettingsInput',
  v.object({ customerMail: v.nullish(customerMailInput), templates: v.nullish(noticeTemplatesSchema) }, NOT_AN_OBJECT),
);
export type NotificationSettingsInput = v.InferOutput<typeof notificationSettingsInput>;

/** The settings that a body stands for. */
export function settingsOfInput({ customerMail, templates }: NotificationSettingsInput): NotificationSettings {
  const { created, onTheWay, completed } = customerMail ?? {};
  return {
    customerMail: { created: created ?? false, onTheWay: onTheWay ?? false, completed: completed ?? false },
    templates: templates ?? {},
  };
}

export const notificationSettingsView = named(
  'NotificationSettings',
  v.object({
    customerMail: named(
      'CustomerMail',
      v.object({ created: v.boolean(), onTheWay: v.boolean(), completed: v.boolean() }),
    ),
    templates: noticeTemplatesSchema,
  }),
);

/** The query of GET /notifications. */
export const listNotificationsQuery = idListQuery('notifications', {
  taskId: v.optional(queryId),
  status: v.optional(oneOf(NOTICE_STATUSES)),
  kind: v.optional(oneOf(NOTICE_KINDS)),
  channel: v.optional(oneOf(NOTICE_CHANNELS)),
});
export type ListNotificationsQuery = v.InferOutput<typeof listNotificationsQuery>;

const nullableText = v.nullable(v.string());

/**
 * A notice as the log has it. Of a push `userId` and `platform` say where it goes, of a mail `customerId` and, once it was
 * sent, `address`, which is not told in full. `reason`: why it was not sent, or not yet.
 */
export const notificationView = named(
  'Notification',
  v.object({
    id: shownId,
    kind: v.picklist(NOTICE_KINDS),
    channel: v.picklist(NOTICE_CHANNELS),
    status: v.picklist(NOTICE_STATUSES),
    reason: nullableText,
    taskId: shownId,
    userId: nullableId,
    platform: v.nullable(v.picklist(PUSH_PLATFORMS)),
    customerId: nullableId,
    address: nullableText,
    attempts: shownInteger,
    nextAttemptAt: nullableTime,
    expiresAt: shownTime,
    createdAt: shownTime,
    settledAt: nullableTime,
  }),
);
export type NotificationView = v.InferOutput<typeof notificationView>;

/** Newest first; `count` is that of the page, `nextCursor` is null at the end. */
export const notificationPageView = named(
  'NotificationPage',
  v.object({
    items: v.array(notificationView),
    count: countOfPage,
    nextCursor: nullableText,
  }),
);
