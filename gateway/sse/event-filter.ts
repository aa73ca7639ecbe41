import type { EventSubject, SharedEvent } from '../../engine/org/feed/shared-event.ts';
import { withoutTrackingLinks } from '../../engine/views/parts/tracking-url.ts';
import type { StreamEventsQuery } from '../../schema/events.ts';

/** The events of the log that a stream shows: those that meet every condition. */
export interface EventFilter {
  /** The same for filters that ask for the same. */
  readonly key: string;
  readonly wants: (shared: SharedEvent) => boolean;
  /** The event as its stream shows it. */
  readonly frameOf: (shared: SharedEvent) => string;
}

/** An agent, who is to hear of no payment but the cash that it took, and to see no customer's link (docs/contract.md §2, §7). */
export interface Hearer {
  readonly hearer?: { readonly agentId: number } | undefined;
}

type WantedEvents = Pick<StreamEventsQuery, 'types' | 'taskIds' | 'agentIds'> & Hearer;

export function createEventFilter(query: WantedEvents): EventFilter {
  const { hearer } = query;
  const types = query.types && new Set<string>(query.types);
  const taskIds = query.taskIds && new Set(query.taskIds);
  const agentIds = query.agentIds && new Set(query.agentIds);
  const asked = [types, taskIds, agentIds].map((set) => (set ? [...set].sort() : null));
  return {
    key: JSON.stringify([...asked, hearer?.agentId ?? null]),
    wants: (shared) =>
      (!types || types.has(shared.event.type)) &&
      (!taskIds || taskIds.has(shared.subject.taskId ?? 0)) &&
      (!agentIds || shared.subject.agentIds.some((id) => agentIds.has(id))) &&
      (!hearer || mayHear(shared.subject, hearer.agentId)),
    frameOf: hearer ? ({ frame }) => withoutTrackingLinks(frame) : ({ frame }) => frame,
  };
}

function mayHear({ payment }: EventSubject, agentId: number): boolean {
  return payment === null || payment.cashOf === agentId;
}
