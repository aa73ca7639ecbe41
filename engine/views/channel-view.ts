import { type ChannelRecord, type ChannelView, channelKeyView, channelView } from '../../schema/accounts/channel.ts';
import { compileSerializer } from './parts/serializer.ts';

const serializeChannel = compileSerializer(channelView);
const serializeWithKey = compileSerializer(channelKeyView);

/** Returns the JSON of a channel: the same bytes in responses and lists. */
export function encodeChannel(channel: ChannelRecord): string {
  return serializeChannel(channelViewOf(channel));
}

/** Returns the JSON of a channel together with its newly created key. */
export function encodeChannelWithKey(channel: ChannelRecord, apiKey: string): string {
  return serializeWithKey({ ...channelViewOf(channel), apiKey });
}

function channelViewOf(channel: ChannelRecord): ChannelView {
  const { id, name, status, userId, rateLimit, locationsWrite, isBuiltIn, createdAt, updatedAt } = channel;
  return { id, name, status, userId, rateLimit, locationsWrite, isBuiltIn, createdAt, updatedAt };
}
