import * as v from 'valibot';
import { named } from './fields/named.ts';
import { shownId, shownInteger, shownTime } from './fields/shown-fields.ts';

/** The messages with which a stream speaks of itself, by name; they are not in the log. Source: docs/contract.md §6. */

const ready = v.object({
  history: v.string(),
  position: v.string(),
  organizationId: shownId,
  serverTime: shownTime,
  version: v.string(),
  heartbeatMs: shownInteger,
  reconnectAfterMs: shownInteger,
});

const resync = v.object({
  reason: v.picklist(['history_changed', 'position_unknown', 'events_expired']),
  position: v.string(),
});

export const STREAM_MESSAGES: ReadonlyMap<string, v.GenericSchema> = new Map<string, v.GenericSchema>([
  ['stream.ready', named('StreamReady', ready)],
  ['stream.resync', named('StreamResync', resync)],
  ['stream.reconnect', named('StreamReconnect', v.object({}))],
]);
