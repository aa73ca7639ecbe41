import { type ScheduledItem, scheduleView } from '../../schema/tasks/schedule.ts';
import { compileSerializer } from './parts/serializer.ts';

const serializeSchedule = compileSerializer(scheduleView);

/** The JSON of what an agent has to do; `count` is exact, also where not all of it is shown. */
export function encodeSchedule(items: readonly ScheduledItem[], count: number): string {
  return serializeSchedule({ items: [...items], count });
}
