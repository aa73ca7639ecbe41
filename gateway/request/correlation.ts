import type { RandomSource } from '../../engine/runtime/random.ts';
import type { IncomingRequest } from '../http/port.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the caller's X-Correlation-Id when it is a UUID, else a new UUID. */
export function correlationIdOf(request: IncomingRequest, random: RandomSource): string {
  const given = request.header('x-correlation-id');
  return given !== undefined && UUID.test(given) ? given : random.uuid();
}
