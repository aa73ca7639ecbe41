import {
  type KnownSettings,
  putNotificationSettings,
  readNotificationSettings,
} from '../../engine/store/notifications/notification-settings-store.ts';
import {
  type DeviceRegistration,
  displaceToken,
  putDevice,
  removeDevice,
  removeSurplusDevices,
} from '../../engine/store/notifications/push-token-store.ts';
import { encodeDevice, encodeNotificationSettings } from '../../engine/views/notification-view.ts';
import { matchesEtag } from '../../engine/views/parts/etag.ts';
import { type Refusal, refusal } from '../../schema/errors.ts';
import {
  type NotificationSettingsInput,
  type PushTokenInput,
  settingsOfInput,
} from '../../schema/notices/notification.ts';
import { findSubscription } from '../../schema/notices/push-subscription.ts';
import { lastTextOf, type ParsedRequest, type RouteAnswer } from '../route.ts';
import { administer } from './administer.ts';
import type { Administration } from './open-administration.ts';

/** Registers a device of the signed-in user, for as long as the session lasts. */
export async function registerDevice(
  administration: Administration,
  request: ParsedRequest<unknown, unknown, PushTokenInput>,
): Promise<RouteAnswer> {
  const { sql } = administration;
  const { organizationId, caller, sessionId } = request.identity;
  const { deviceId, platform, token } = request.body;
  const complaint = await refusalOfEndpoint(administration, organizationId, request.body);
  return administer(administration, { ...request, organizationId }, async (registeredAt) => {
    if (complaint) return { refusal: complaint };
    const device: DeviceRegistration = {
      ...{ organizationId, userId: caller.userId!, deviceId, sessionId: sessionId! },
      ...{ platform, token, registeredAt },
    };
    return {
      answer: { status: 201, message: 'Device registered', data: encodeDevice({ deviceId, platform, registeredAt }) },
      write: {
        first: displaceToken(sql, device),
        change: putDevice(sql, device),
        also: [removeSurplusDevices(sql, device)],
        notes: [],
        revokes: false,
      },
    };
  });
}

/** The address that a browser tells is one that a stranger has chosen. */
async function refusalOfEndpoint(
  { checkUrl }: Administration,
  organizationId: number,
  { platform, token }: PushTokenInput,
): Promise<Refusal | undefined> {
  if (platform !== 'web') return undefined;
  const complaint = await checkUrl(organizationId, findSubscription(token)!.endpoint);
  const violations = [`token has an endpoint that ${complaint}`];
  return complaint === undefined ? undefined : refusal('VALIDATION_FAILED', undefined, { violations });
}

/** Forgets a device of the caller's own. */
export function forgetDevice(administration: Administration, request: ParsedRequest<unknown>): Promise<RouteAnswer> {
  const { organizationId, caller } = request.identity;
  const deviceId = lastTextOf(request.facts.canonicalPath) ?? '';
  const device = { organizationId, userId: caller.userId!, deviceId };
  return administer(administration, { ...request, organizationId }, async () => ({
    answer: { status: 200, message: 'Device forgotten', data: '{}' },
    write: {
      change: removeDevice(administration.sql, device),
      notes: [],
      elseRefusal: refusal('NOT_FOUND', 'Device not found'),
      revokes: false,
    },
  }));
}

/** Sets what an organization has its customers told, and in which words. */
export function changeNotificationSettings(
  administration: Administration,
  request: ParsedRequest<unknown, unknown, NotificationSettingsInput>,
): Promise<RouteAnswer> {
  const { sql } = administration;
  const { organizationId, caller } = request.identity;
  const wanted = settingsOfInput(request.body);
  const data = encodeNotificationSettings(wanted);
  return administer(administration, { ...request, organizationId }, async (now) => {
    const known = await readNotificationSettings(sql, organizationId);
    const before = encodeNotificationSettings(known);
    if (request.ifMatch && !matchesEtag(request.ifMatch, before)) return { refusal: refusal('PRECONDITION_FAILED') };
    const answer = { status: 200, message: 'Notification settings', data };
    if (before === data) return { answer };
    const next: KnownSettings = { ...wanted, version: known.version + 1 };
    const note = { organizationId, recordType: 'organization', recordId: organizationId, caller } as const;
    return {
      answer,
      write: {
        change: putNotificationSettings(sql, organizationId, next, now),
        notes: [{ ...note, action: 'organization.notifications_updated', before, after: data }],
        revokes: false,
      },
    };
  });
}
