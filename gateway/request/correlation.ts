import type { RandomSource } from '../../engine/runtime/random.ts';
import type { Origin } from '../../schema/commands.ts';
import type { IncomingRequest } from '../http/port.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the caller's X-Correlation-Id when it is a UUID, else one that is made once for the request. */
export function correlationIdOf(request: IncomingRequest, random: RandomSource): string {
  if (request.correlationId !== undefined) return request.correlationId;
  const given = request.header('x-correlation-id');
  const id = given !== undefined && UUID.test(given) ? given : random.uuid();
  request.correlationId = id;
  return id;
}

/** The origin of a read, whose address is asked for only where the request counts against it. A change keeps where it came from. */
export class ReadOrigin implements Origin {
  readonly correlationId: string;
  readonly #address: () => string | null;

  constructor(correlationId: string, address: () => string | null) {
    this.correlationId = correlationId;
    this.#address = address;
  }

  get address(): string | null {
    return this.#address();
  }
}
