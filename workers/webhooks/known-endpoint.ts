import type { EndpointCircuit } from '../../engine/domain/outbound/endpoint-circuit.ts';
import { isoTime } from '../../engine/runtime/clock.ts';
import type { EndpointHealth, LeasedEndpoint } from '../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { DisabledReason } from '../../schema/notices/webhook.ts';

/** The facts about the endpoint since its last lease. */
export interface KnownEndpoint {
  readonly endpoint: LeasedEndpoint;
  circuit: EndpointCircuit;
  disabled: DisabledReason | undefined;
  /** Every event up to this one has an outcome, or is not wanted. */
  position: number;
  /** The last place that was given to be written. */
  written: number;
  /** On the monotonic clock: when it was leased, and until when nobody else serves it. */
  readonly askedAt: number;
  heldUntil: number;
  /** Nothing is due again before. */
  nextDueMs: number;
  hasOrders: boolean;
}

/** `askedAt`: when the lease was asked for, on the monotonic clock. */
export function knownEndpoint(endpoint: LeasedEndpoint, askedAt: number): KnownEndpoint {
  const { lastSequence, nextDueAt, hasOrders } = endpoint;
  return {
    endpoint,
    circuit: circuitOf(endpoint),
    disabled: undefined,
    position: lastSequence,
    written: lastSequence,
    askedAt,
    heldUntil: askedAt + LIMITS.webhookLeaseMs,
    nextDueMs: nextDueAt === null ? Number.POSITIVE_INFINITY : Date.parse(nextDueAt),
    hasOrders,
  };
}

function circuitOf({ failures, failingSince, pausedUntil }: EndpointHealth): EndpointCircuit {
  const ms = (time: string | null) => (time === null ? null : Date.parse(time));
  return { failures, failingSinceMs: ms(failingSince), pausedUntilMs: ms(pausedUntil) };
}

/** As it is written. */
export function healthOf({ failures, failingSinceMs, pausedUntilMs }: EndpointCircuit): EndpointHealth {
  const time = (ms: number | null) => (ms === null ? null : isoTime(ms));
  return { failures, failingSince: time(failingSinceMs), pausedUntil: time(pausedUntilMs) };
}
