import type { Place } from '../domain/assignment/round-view.ts';

/** The request to a routing engine, and the reading of its answer. */
export interface RoutingDialect {
  /** The engine's name for how a vehicle goes; undefined for those that it cannot tell about. */
  modeOf(vehicleType: string | null): string | undefined;
  /** A table of the ways from each of `from` to each of `to`. */
  requestFor(mode: string, from: readonly Place[], to: readonly Place[]): TableRequest;
  /** The durations of any answer: a row of seconds for each start, with any content. */
  rowsOf(answer: unknown): unknown;
}

export interface TableRequest {
  readonly url: URL;
  /** JSON, to be posted; null to get. */
  readonly body: string | null;
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Six decimals are a tenth of a metre. */
export function degrees(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** How vehicle types, which are free text, are compared. */
export function plainType(vehicleType: string | null): string {
  return vehicleType?.trim().toLowerCase() ?? '';
}
