import { LIMITS } from '../../../schema/limits.ts';
import type { PushPlatform } from '../../../schema/notices/notification.ts';
import { hashed } from '../accounts/account-statements.ts';
import type { Fragment, Sql } from '../postgres.ts';

/** A device of a user, under the app's name for it. */
export interface DeviceKey {
  readonly organizationId: number;
  readonly userId: number;
  readonly deviceId: string;
}

export interface DeviceRegistration extends DeviceKey {
  /** The device gets no notices once this session has ended. */
  readonly sessionId: number;
  readonly platform: PushPlatform;
  readonly token: string;
  readonly registeredAt: string;
}

/** Removes the token from any other device: a phone that was handed on notifies its new user alone. */
export function displaceToken(sql: Sql, { organizationId, userId, deviceId, token }: DeviceRegistration): Fragment {
  return sql`
    DELETE FROM push_tokens
    WHERE token_hash = ${hashed(sql, token)}
      AND (organization_id, user_id, device_id) <> (${organizationId}::bigint, ${userId}::bigint, ${deviceId}::text)
    RETURNING organization_id`;
}

/** Registers a device, or gives it another token; `first` is what `displaceToken` did. */
export function putDevice(sql: Sql, device: DeviceRegistration): Fragment {
  const { organizationId, userId, deviceId, sessionId, platform, token, registeredAt } = device;
  return sql`
    INSERT INTO push_tokens (organization_id, user_id, device_id, id, session_id, platform, token, token_hash,
      registered_at)
    SELECT ${organizationId}::bigint, ${userId}::bigint, ${deviceId}::text, nextval('push_token_ids'),
      ${sessionId}::bigint, ${platform}::text, ${token}::text, ${hashed(sql, token)}, ${registeredAt}::timestamptz
    FROM (SELECT count(*) FROM first) AS displaced
    ON CONFLICT (organization_id, user_id, device_id) DO UPDATE SET session_id = excluded.session_id,
      platform = excluded.platform, token = excluded.token, token_hash = excluded.token_hash,
      registered_at = excluded.registered_at
    RETURNING id`;
}

/** Deletes the user's surplus devices, except this one; two registrations at one moment may both stay. */
export function removeSurplusDevices(sql: Sql, { organizationId, userId, deviceId }: DeviceKey): Fragment {
  return sql`
    DELETE FROM push_tokens
    WHERE organization_id = ${organizationId} AND user_id = ${userId} AND device_id IN (
      SELECT device_id FROM push_tokens
      WHERE organization_id = ${organizationId} AND user_id = ${userId} AND device_id <> ${deviceId}
      ORDER BY registered_at DESC, id DESC OFFSET ${LIMITS.devicesPerUser - 1})`;
}

export function removeDevice(sql: Sql, { organizationId, userId, deviceId }: DeviceKey): Fragment {
  return sql`
    DELETE FROM push_tokens
    WHERE organization_id = ${organizationId} AND user_id = ${userId} AND device_id = ${deviceId} RETURNING id`;
}
