import { effect, signal } from '@preact/signals';
import type { TrailPoint } from '../../../schema/fleet/trail.ts';
import type { Answer } from '../live/protocol.ts';
import { callApi, courierPins } from '../page/link.ts';
import { agentId, nowMs } from '../page/state.ts';
import type { Place } from './features.ts';

/** The span of the trail that the map shows. */
export const TRAIL_MINUTES = 30;
const MINUTE_MS = 60_000;
const PAGE = 1_000;
/** A point a second, for the whole span. */
const PAGES = 2;

interface TrailPage {
  readonly items: readonly TrailPoint[];
  readonly nextCursor: string | null;
}

interface Trail {
  readonly agentId: number;
  readonly points: readonly { readonly atMs: number; readonly place: Place }[];
}

const trail = signal<Trail | null>(null);

/** Keeps the way of the chosen courier: read once, then made longer by each new position. Returns the way to stop. */
export function keepTrail(draw: (places: readonly Place[]) => void): () => void {
  const stops = [
    effect(() => {
      const id = agentId.value;
      trail.value = null;
      if (id !== null) void readTrail(id);
    }),
    effect(() => {
      const now = trail.value;
      const pin = courierPins.value.find(({ id }) => id === now?.agentId);
      const last = now?.points.at(-1)?.atMs ?? 0;
      if (!now || !pin || pin.recordedAtMs <= last) return;
      const place: Place = [pin.longitude, pin.latitude];
      const from = nowMs.peek() - TRAIL_MINUTES * MINUTE_MS;
      const kept = now.points.filter(({ atMs }) => atMs >= from);
      trail.value = { ...now, points: [...kept, { atMs: pin.recordedAtMs, place }] };
    }),
    effect(() => draw(trail.value?.points.map(({ place }) => place) ?? [])),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Without an answer the trail begins with the next position. */
async function readTrail(id: number): Promise<void> {
  const points: Trail['points'][number][] = [];
  const from = new Date(nowMs.peek() - TRAIL_MINUTES * MINUTE_MS).toISOString();
  let path: string | null = `/agents/${id}/trail?from=${from}&limit=${PAGE}`;
  for (let page = 0; page < PAGES && path !== null; page++) {
    const answer: Answer<TrailPage> = await callApi({ method: 'GET', path });
    if (agentId.peek() !== id) return;
    if (!answer.ok) break;
    for (const { longitude, latitude, recordedAt } of answer.data.items)
      points.push({ atMs: Date.parse(recordedAt), place: [longitude, latitude] });
    const { nextCursor }: TrailPage = answer.data;
    path = nextCursor === null ? null : `/agents/${id}/trail?limit=${PAGE}&cursor=${encodeURIComponent(nextCursor)}`;
  }
  trail.value = { agentId: id, points };
}
