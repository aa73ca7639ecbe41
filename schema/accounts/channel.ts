import * as v from 'valibot';
import { boolean, id, integerBetween, oneOf, requiredText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { listQuery, pageView } from '../fields/page-query.ts';
import { nullableId, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

export const CHANNEL_STATUSES = named('ChannelStatus', ['ACTIVE', 'INACTIVE', 'SUSPENDED'] as const);
export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];

/** A row of `channels`. Only the hash of its key is stored, and never read along. */
export interface ChannelRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  readonly name: string;
  readonly status: ChannelStatus;
  /** Whose account its key acts as, for ever; null for the built-in one, which has no key. */
  readonly userId: number | null;
  /** Requests a second; 0 = unlimited, null = the default. */
  readonly rateLimit: number | null;
  /** Whether its key may stream agents' positions. */
  readonly locationsWrite: boolean;
  /** The one that stands for what users do in their sessions. */
  readonly isBuiltIn: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const name = requiredText(LIMITS.shortTextChars);
const rateLimit = integerBetween(
  0,
  LIMITS.channelRequestsPerSecond,
  `must be an integer between 0 and ${LIMITS.channelRequestsPerSecond}`,
);

/** The body of POST /channels. Without `userId` an `integration` user is made for it. */
export const createChannelInput = named(
  'CreateChannelInput',
  v.object(
    { name, userId: v.nullish(id), rateLimit: v.nullish(rateLimit), locationsWrite: v.nullish(boolean) },
    'the body must be an object',
  ),
);
export type CreateChannelInput = v.InferOutput<typeof createChannelInput>;

/** The body of PATCH /channels/:id: what is absent stays; null sets `rateLimit` back to the default. */
export const updateChannelInput = named(
  'UpdateChannelInput',
  v.object(
    {
      name: v.nullish(name),
      status: v.nullish(oneOf(CHANNEL_STATUSES)),
      rateLimit: v.optional(v.nullable(rateLimit)),
      locationsWrite: v.nullish(boolean),
    },
    'the body must be an object',
  ),
);
export type UpdateChannelInput = v.InferOutput<typeof updateChannelInput>;

export const channelView = named(
  'Channel',
  v.object({
    id: shownId,
    name: v.string(),
    status: v.picklist(CHANNEL_STATUSES),
    userId: nullableId,
    rateLimit: v.nullable(shownInteger),
    locationsWrite: v.boolean(),
    isBuiltIn: v.boolean(),
    createdAt: shownTime,
    updatedAt: shownTime,
  }),
);
export type ChannelView = v.InferOutput<typeof channelView>;

/** The channel with its new key, which is shown this once. */
export const channelKeyView = named('ChannelWithKey', v.object({ ...channelView.entries, apiKey: v.string() }));

export const channelListView = pageView('ChannelList', channelView);

/** The query of GET /channels. */
export const listChannelsQuery = listQuery('channels', {});
export type ListChannelsQuery = v.InferOutput<typeof listChannelsQuery>;
