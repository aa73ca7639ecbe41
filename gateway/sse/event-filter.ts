import type { SharedEvent } from '../../engine/org/shared-event.ts';
import type { StreamEventsQuery } from '../../schema/events.ts';

/** Which events of the log a stream is told of: those that meet all that is said. */
export interface EventFilter {
  /** The same for filters that ask for the same. */
  readonly key: string;
  readonly wants: (shared: SharedEvent) => boolean;
}

export function createEventFilter(query: Pick<StreamEventsQuery, 'types' | 'taskIds' | 'agentIds'>): EventFilter {
  const types = query.types && new Set<string>(query.types);
  const taskIds = query.taskIds && new Set(query.taskIds);
  const agentIds = query.agentIds && new Set(query.agentIds);
  const asked = [types, taskIds, agentIds].map((set) => (set ? [...set].sort() : null));
  return {
    key: JSON.stringify(asked),
    wants: (shared) =>
      (!types || types.has(shared.event.type)) &&
      (!taskIds || taskIds.has(shared.subject.taskId ?? 0)) &&
      (!agentIds || shared.subject.agentIds.some((id) => agentIds.has(id))),
  };
}
