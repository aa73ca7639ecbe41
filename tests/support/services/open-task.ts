import type { OpenTask } from '../../../engine/store/positions/roster-store.ts';

/** A task in transit, without any times and fetched nowhere, except for the given fields. */
export function openTaskOf(fields: Partial<OpenTask> = {}): OpenTask {
  return {
    taskId: 1,
    status: 'in_transit',
    assignedAt: null,
    latitude: null,
    longitude: null,
    arrivedAt: null,
    etaAt: null,
    timeToServe: 'asap',
    scheduledAt: null,
    estimatedDuration: null,
    createdAt: '2031-05-01T10:00:00.000Z',
    readyAt: null,
    windowStart: null,
    windowEnd: null,
    pickupLatitude: null,
    pickupLongitude: null,
    pickupEtaAt: null,
    pickupArrivedAt: null,
    pickedUpAt: null,
    ...fields,
  };
}
