import type { EventType, LoggedEvent } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Redis } from '../redis.ts';
import type { RedisKeys } from '../redis-keys.ts';

/** The newest committed events of organizations, handed from process to process by Redis. All reject while it is away. */
export interface EventTailStore {
  /** Keeps events, and tells who listens; of those that are large, only the sequence. */
  append(organizationId: number, events: readonly LoggedEvent[]): Promise<void>;
  /** Kept events after a sequence, in order; there may be holes, and the oldest and the newest may be missing. */
  readAfter(organizationId: number, after: number, limit: number): Promise<LoggedEvent[]>;
  /** Keeps nothing of what was appended so far. */
  forget(organizationId: number): Promise<void>;
}

/**
 * A stream whose ids are the sequences. ARGV: the channel, how long the tail lives, how many events it holds, then
 * sequences with their lines in turn, an empty one for what is only told of. An event that is already there, or older, is
 * refused by XADD: nothing is lost.
 */
const APPEND = `
local lines = {}
for i = 4, #ARGV, 2 do
  local line = ARGV[i]
  if ARGV[i + 1] ~= '' then
    line = ARGV[i + 1]
    redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', ARGV[3], ARGV[i] .. '-0', 'e', line)
  end
  lines[#lines + 1] = line
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PUBLISH', ARGV[1], table.concat(lines, '\\n'))`;

interface WithAppend {
  dispatchAppendEvents(key: string, ...values: (string | number)[]): Promise<null>;
}

export function createEventTailStore(redis: Redis, keys: Pick<RedisKeys, 'eventTail' | 'events'>): EventTailStore {
  redis.defineCommand('dispatchAppendEvents', { numberOfKeys: 1, lua: APPEND });
  const scripted = redis as unknown as WithAppend;
  return {
    async append(organizationId, events) {
      const values: (string | number)[] = [keys.events(organizationId), LIMITS.eventTailMs, LIMITS.eventTailEvents];
      for (const event of events)
        values.push(event.sequence, event.body.length <= LIMITS.eventTailChars ? lineOf(event) : '');
      await scripted.dispatchAppendEvents(keys.eventTail(organizationId), ...values);
    },
    async readAfter(organizationId, after, limit) {
      const kept = await redis.xrange(keys.eventTail(organizationId), `${after + 1}-0`, '+', 'COUNT', limit);
      return kept.flatMap(([, fields]) => parseEventLine(organizationId, fields[1] ?? '') ?? []);
    },
    async forget(organizationId) {
      await redis.del(keys.eventTail(organizationId));
    },
  };
}

/** JSON has no line feeds of its own; U+2028 and U+2029 it has. */
function lineOf({ sequence, type, at, body }: LoggedEvent): string {
  return `${sequence} ${type} ${at} ${body}`;
}

/** Sequence of an event that was too large to come along; undefined for another line. */
export function parseBareSequence(line: string): number | undefined {
  return /^\d{1,15}$/.test(line) ? Number(line) : undefined;
}

/** An event as it was handed over; undefined for what is none. */
export function parseEventLine(organizationId: number, line: string): LoggedEvent | undefined {
  const match = /^(\d{1,16}) ([a-z_.]+) (\S+) (\{.*\})$/s.exec(line);
  if (!match) return undefined;
  const [, sequence, type, at, body] = match;
  return { organizationId, sequence: Number(sequence), type: type as EventType, at: at!, body: body! };
}
