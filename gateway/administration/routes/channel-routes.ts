import { listChannels, readChannel } from '../../../engine/store/accounts/channel-store.ts';
import { encodeChannel } from '../../../engine/views/channel-view.ts';
import {
  channelKeyView,
  channelListView,
  channelView,
  createChannelInput,
  listChannelsQuery,
  updateChannelInput,
} from '../../../schema/accounts/channel.ts';
import { notFound } from '../../../schema/errors.ts';
import { formatPosition } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { pageAnswer } from '../../page-answer.ts';
import { type ApiRoute, apiRoute, may } from '../../route.ts';
import { ADMINISTERED } from '../administer.ts';
import { changeChannel, createChannel, regenerateKey } from '../administer-channels.ts';
import type { Administration } from '../open-administration.ts';

/** The channels of an organization and their keys. Source: docs/contract.md §2 "Credentials". */
export function channelRoutes(administration: Administration): ApiRoute[] {
  return [...writingRoutes(administration), ...readingRoutes(administration)];
}

function writingRoutes(administration: Administration): ApiRoute[] {
  const create: ApiRoute = apiRoute({
    method: 'POST',
    path: '/channels',
    guard: may('channels'),
    body: { schema: createChannelInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Create a channel; its key is shown in this answer only. Without userId a user is made for it',
    success: { status: 201, data: channelKeyView },
    refusals: ['404', ...ADMINISTERED],
    handle: (request) => createChannel(administration, request),
  });
  const change: ApiRoute = apiRoute({
    method: 'PATCH',
    path: '/channels/:id',
    guard: may('channels'),
    body: { schema: updateChannelInput, maxBytes: LIMITS.bodyBytes },
    etag: true,
    summary: 'Change a channel: only the fields that are sent; its user stays',
    success: { status: 200, data: channelView },
    refusals: ['404', '409 CHANNEL_BUILT_IN', '412 PRECONDITION_FAILED', ...ADMINISTERED],
    handle: (request) => changeChannel(administration, request),
  });
  const regenerate: ApiRoute = apiRoute({
    method: 'POST',
    path: '/channels/:id/regenerate-key',
    guard: may('channels'),
    summary: 'Replace the key of a channel: the new one is shown in this answer only, the old one stops at once',
    success: { status: 200, data: channelKeyView },
    refusals: ['404', '409 CHANNEL_BUILT_IN', ...ADMINISTERED],
    handle: (request) => regenerateKey(administration, request),
  });
  return [create, change, regenerate];
}

function readingRoutes({ reads, history }: Administration): ApiRoute[] {
  const list: ApiRoute = apiRoute({
    method: 'GET',
    path: '/channels',
    guard: may('channels'),
    query: { schema: listChannelsQuery, lists: new Set() },
    summary: 'List channels, newest first',
    success: { status: 200, data: channelListView },
    refusals: [],
    async handle({ identity: { organizationId }, query }) {
      const page = await reads.run(organizationId, (sql) => listChannels(sql, organizationId, query));
      return pageAnswer(history, 'Channels', page, encodeChannel);
    },
  });
  const readOne: ApiRoute = apiRoute({
    method: 'GET',
    path: '/channels/:id',
    guard: may('channels'),
    etag: true,
    summary: 'Read a channel',
    success: { status: 200, data: channelView },
    refusals: ['404'],
    async handle({ identity: { organizationId }, params }) {
      const channelId = params.id;
      const found = await reads.run(organizationId, (sql) => readChannel(sql, organizationId, channelId));
      if (!found) return { refusal: notFound('Channel', channelId) };
      const position = formatPosition(history, found.sequence);
      return { status: 200, message: 'Channel', data: encodeChannel(found.channel), position };
    },
  });
  return [list, readOne];
}
