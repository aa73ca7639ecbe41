import type { EventType, LoggedEvent } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Redis } from '../redis.ts';
import type { RedisKeys } from '../redis-keys.ts';

/**
 * The newest committed events of organizations, passed between processes through Redis. All methods reject while it is
 * away.
 */
export interface EventTailStore {
  /** Keeps events and sends them to listeners; of large events only the sequence. */
  append(organizationId: number, events: readonly LoggedEvent[]): Promise<void>;
  /** Kept events after a sequence, in order; there may be holes, and the oldest and the newest may be missing. */
  readAfter(organizationId: number, after: number, limit: number): Promise<LoggedEvent[]>;
  /** Deletes everything that was appended so far. */
  forget(organizationId: number): Promise<void>;
}

/**
 * A stream whose ids are the sequences. ARGV: the channel, how long the tail lives, how many events it holds, then
 * sequences with their lines in turn, with an empty line for an event that is announced without its content. XADD
 * refuses an event that is already there, or older: nothing is lost.
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

/** The sequence of an event that was too large to send; undefined for another line. */
export function parseBareSequence(line: string): number | undefined {
  return /^\d{1,15}$/.test(line) ? Number(line) : undefined;
}

/** The event of a line; undefined when it holds none. */
export function parseEventLine(organizationId: number, line: string): LoggedEvent | undefined {
  const match = /^(\d{1,16}) ([a-z_.]+) (\S+) (\{.*\})$/s.exec(line);
  if (!match) return undefined;
  const [, sequence, type, at, body] = match;
  return { organizationId, sequence: Number(sequence), type: type as EventType, at: at!, body: body! };
}
