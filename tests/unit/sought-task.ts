import type { SoughtTask } from '../../engine/store/planning/round-store.ts';
import type { TaskSearch } from '../../schema/assignment/assignment.ts';

/** One that has just begun. */
export const NEW_SEARCH: TaskSearch = {
  startsAt: null,
  until: '',
  attempts: 0,
  open: [],
  rejectedBy: [],
  expiredBy: [],
  lacking: null,
  notedAt: null,
};

/** A new task of one small package in a search that has just begun, except for the given fields. */
export function soughtTask(
  taskId: number,
  createdAtMs: number,
  fields: Partial<SoughtTask> = {},
  search: Partial<TaskSearch> = {},
): SoughtTask {
  return {
    taskId,
    status: 'new',
    timeToServe: 'asap',
    scheduledAt: null,
    estimatedDuration: null,
    readyAt: null,
    latitude: 0,
    longitude: 0,
    pickupLatitude: null,
    pickupLongitude: null,
    weightKg: 0,
    volumeM3: 0,
    packages: 1,
    createdAt: new Date(createdAtMs).toISOString(),
    windowStart: null,
    windowEnd: null,
    requiredSkills: null,
    preferredAgentId: null,
    isJob: false,
    search: { ...NEW_SEARCH, ...search },
    ...fields,
  };
}
