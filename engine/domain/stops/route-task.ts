import type { AssignmentSettings } from '../../../schema/assignment/assignment.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { slotOf } from '../assignment/load.ts';
import type { Place } from '../assignment/round-view.ts';
import { dueAtOf } from '../tasks/delay.ts';
import type { RouteTask, ServiceTimes } from './open-stops.ts';

/** The times and places of an open task, as rows have them; degrees. */
export interface TaskOnRoute
  extends Pick<
    TaskRecord,
    | 'status'
    | 'timeToServe'
    | 'scheduledAt'
    | 'estimatedDuration'
    | 'createdAt'
    | 'readyAt'
    | 'windowStart'
    | 'windowEnd'
    | 'assignedAt'
    | 'arrivedAt'
    | 'pickupArrivedAt'
    | 'pickedUpAt'
  > {
  readonly taskId: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly pickupLatitude: number | null;
  readonly pickupLongitude: number | null;
}

export function routeTaskOf(task: TaskOnRoute): RouteTask {
  const pickup = placeAt(task.pickupLatitude, task.pickupLongitude);
  return {
    taskId: task.taskId,
    status: task.status,
    assignedAt: msOf(task.assignedAt) ?? 0,
    readyAt: msOf(task.readyAt),
    windowStart: msOf(task.windowStart),
    dueAt: Date.parse(dueAtOf(task)),
    serviceMs: serviceMsOf(task),
    slot: slotOf(task),
    pickup,
    pickupKey: placeKey(pickup),
    dropoff: placeAt(task.latitude, task.longitude),
    pickupArrivedAt: msOf(task.pickupArrivedAt),
    pickedUpAt: msOf(task.pickedUpAt),
    arrivedAt: msOf(task.arrivedAt),
  };
}

export function placeAt(latitude: number | null, longitude: number | null): Place | null {
  return latitude === null || longitude === null ? null : { latitude, longitude };
}

/** Places are the same when they are within a metre: each task may have its own row of the same one. */
export function placeKey(place: Place | null): string | null {
  return place && `${place.latitude.toFixed(5)},${place.longitude.toFixed(5)}`;
}

/** As long as the task says; null is as long as usual. */
export function serviceMsOf({ estimatedDuration }: Pick<TaskRecord, 'estimatedDuration'>): number | null {
  return estimatedDuration === null ? null : estimatedDuration * 60_000;
}

/** The service times of an organization. */
export function serviceTimesOf({ pickupServiceSeconds, dropoffServiceSeconds }: AssignmentSettings): ServiceTimes {
  return { pickupServiceMs: pickupServiceSeconds * 1_000, dropoffServiceMs: dropoffServiceSeconds * 1_000 };
}

export function msOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}
