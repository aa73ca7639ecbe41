import { hashSecret, newApiKey } from '../../engine/runtime/secrets.ts';
import type { AuditNote } from '../../engine/store/accounts/change-notes.ts';
import { drawIds, insertChannel, readChannel, updateChannel } from '../../engine/store/accounts/channel-store.ts';
import { insertUser, readUser } from '../../engine/store/accounts/user-store.ts';
import { encodeChannel, encodeChannelWithKey } from '../../engine/views/channel-view.ts';
import { matchesEtag } from '../../engine/views/parts/etag.ts';
import type { ChannelRecord, CreateChannelInput, UpdateChannelInput } from '../../schema/accounts/channel.ts';
import type { UserRecord } from '../../schema/accounts/user.ts';
import type { Caller } from '../../schema/commands.ts';
import { splitName } from '../../schema/customers/customer.ts';
import { notFound, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ById, ParsedRequest, RouteAnswer } from '../route.ts';
import { administer } from './administer.ts';
import { newUser, userNote } from './administer-users.ts';
import type { Administration } from './open-administration.ts';

/** Makes a channel, and with it a user for it where none is named; the answer alone tells its key. */
export function createChannel(
  administration: Administration,
  request: ParsedRequest<unknown, unknown, CreateChannelInput>,
): Promise<RouteAnswer> {
  const { sql } = administration;
  const { organizationId, caller } = request.identity;
  const { name, userId, rateLimit = null, locationsWrite } = request.body;
  return administer(administration, { ...request, organizationId }, async (now) => {
    if (isReserved(caller, rateLimit)) return { refusal: refusal('FORBIDDEN') };
    if (userId != null && !(await readUser(sql, organizationId, userId))) return { refusal: notFound('User', userId) };
    const ids = await drawIds(sql);
    const own: UserRecord | undefined =
      userId == null
        ? newUser({ organizationId, id: ids.userId, role: 'integration', email: null, ...splitName(name), now })
        : undefined;
    const apiKey = newApiKey();
    const channel: ChannelRecord = {
      organizationId,
      id: ids.channelId,
      version: 1,
      name,
      status: 'ACTIVE',
      userId: userId ?? ids.userId,
      rateLimit,
      locationsWrite: locationsWrite ?? false,
      isBuiltIn: false,
      createdAt: now,
      updatedAt: now,
    };
    return {
      answer: { status: 201, message: 'Channel created', data: encodeChannelWithKey(channel, apiKey) },
      write: {
        change: insertChannel(sql, channel, hashSecret(apiKey)),
        also: own ? [insertUser(sql, own, null)] : [],
        notes: [
          ...(own ? [userNote(caller, 'user.created', undefined, own)] : []),
          channelNote(caller, 'channel.created', undefined, channel),
        ],
        revokes: false,
      },
    };
  });
}

/** Changes a channel; what it may no longer do is refused everywhere before the answer, as of users. The built-in one may be renamed, but stays active and without a limit. */
export function changeChannel(
  administration: Administration,
  request: ParsedRequest<ById, unknown, UpdateChannelInput>,
): Promise<RouteAnswer> {
  const { sql } = administration;
  const { organizationId, caller } = request.identity;
  const channelId = request.params.id;
  return administer(administration, { ...request, organizationId }, async (now) => {
    const before = (await readChannel(sql, organizationId, channelId))?.channel;
    if (!before) return { refusal: notFound('Channel', channelId) };
    if (request.ifMatch && !matchesEtag(request.ifMatch, encodeChannel(before)))
      return { refusal: refusal('PRECONDITION_FAILED') };
    const after = changedChannel(before, request.body);
    if (after.rateLimit !== before.rateLimit && isReserved(caller, after.rateLimit))
      return { refusal: refusal('FORBIDDEN') };
    if (before.isBuiltIn && !mayStandForSessions(after, before)) return { refusal: refusal('CHANNEL_BUILT_IN') };
    const message = 'Channel updated';
    const { status, rateLimit, locationsWrite } = request.body;
    const revokes = status != null || rateLimit !== undefined || locationsWrite != null;
    if (encodeChannel(after) === encodeChannel(before))
      return { answer: { status: 200, message, data: encodeChannel(before) }, revokesAgain: revokes };
    const written = { ...after, version: before.version + 1, updatedAt: now };
    return {
      answer: { status: 200, message, data: encodeChannel(written) },
      write: {
        change: updateChannel(sql, written),
        notes: [channelNote(caller, 'channel.updated', before, written)],
        revokes,
      },
    };
  });
}

/** Gives a channel another key. No request that starts after the answer is served with the old one. */
export function regenerateKey(administration: Administration, request: ParsedRequest<ById>): Promise<RouteAnswer> {
  const { sql } = administration;
  const { organizationId, caller } = request.identity;
  const channelId = request.params.id;
  return administer(administration, { ...request, organizationId }, async (now) => {
    const before = (await readChannel(sql, organizationId, channelId))?.channel;
    if (!before) return { refusal: notFound('Channel', channelId) };
    if (before.isBuiltIn) return { refusal: refusal('CHANNEL_BUILT_IN') };
    const apiKey = newApiKey();
    const after = { ...before, version: before.version + 1, updatedAt: now };
    return {
      answer: { status: 200, message: 'Key regenerated', data: encodeChannelWithKey(after, apiKey) },
      write: {
        change: updateChannel(sql, after, hashSecret(apiKey)),
        notes: [channelNote(caller, 'channel.key_regenerated', before, after)],
        revokes: true,
      },
    };
  });
}

/** More than the default, and no limit at all, are for super admins to give. */
function isReserved({ role }: Caller, rateLimit: number | null): boolean {
  const isLow = rateLimit === null || (rateLimit > 0 && rateLimit <= LIMITS.requestsPerSecond);
  return !isLow && role !== 'super_admin';
}

/** Sessions are limited by their users: a limit of the built-in channel would have no effect. */
function mayStandForSessions({ status, rateLimit }: ChannelRecord, before: ChannelRecord): boolean {
  return status === before.status && (rateLimit === null || rateLimit === before.rateLimit);
}

function changedChannel(before: ChannelRecord, input: UpdateChannelInput): ChannelRecord {
  const { name, status, rateLimit, locationsWrite } = input;
  return {
    ...before,
    name: name ?? before.name,
    status: status ?? before.status,
    rateLimit: rateLimit === undefined ? before.rateLimit : rateLimit,
    locationsWrite: locationsWrite ?? before.locationsWrite,
  };
}

function channelNote(
  caller: Caller,
  action: string,
  before: ChannelRecord | undefined,
  after: ChannelRecord,
): AuditNote {
  return {
    organizationId: after.organizationId,
    action,
    recordType: 'channel',
    recordId: after.id,
    caller,
    before: before ? encodeChannel(before) : null,
    after: encodeChannel(after),
  };
}
