import { assignmentSettingsOf } from '../../schema/assignment/assignment.ts';
import type { TaskRecord } from '../../schema/tasks/task.ts';
import { serviceTimesOf } from '../domain/stops/route-task.ts';
import type { ChangedTask, RosterChange } from '../positions/roster-change.ts';
import type { OrgBatch } from './apply/org-batch.ts';
import type { OrgState } from './state/org-state.ts';

/** Whether agents have other work by a committed batch. */
export function changesWork({ taskChanges }: OrgBatch): boolean {
  for (const { before, after } of taskChanges) if (isOfAgent(before) || isOfAgent(after)) return true;
  return false;
}

function isOfAgent(task: TaskRecord | null): boolean {
  return task !== null && task.agentId !== null;
}

/** The changes of agents and their tasks in a committed batch. */
export function rosterChangeOf(batch: OrgBatch, state: OrgState): RosterChange {
  const tasks: ChangedTask[] = [];
  for (const { before, after } of batch.taskChanges) {
    if (!isOfAgent(before) && !isOfAgent(after)) continue;
    tasks.push({ before: before?.agentId ?? null, agentId: after.agentId, task: openTaskOf(after, state) });
  }
  const agents = [...batch.agents.values()].map(({ record }) => ({
    agentId: record.id,
    isActive: record.isActive,
    onDuty: record.onDuty,
    vehicleType: record.vehicle?.type ?? null,
    shifts: record.shifts,
  }));
  const { expectedSequence, lastSequence } = batch;
  const services = serviceTimesOf(assignmentSettingsOf(state.organization.settings));
  return { expectedSequence, lastSequence, agents, tasks, services };
}

/** The place is the one in memory now: the task may have been moved after the change. */
function openTaskOf(task: TaskRecord, state: OrgState): ChangedTask['task'] {
  const { location = null, pickupLocation = null } = state.findTask(task.id) ?? {};
  return {
    taskId: task.id,
    status: task.status,
    assignedAt: task.assignedAt,
    latitude: location?.latitude ?? null,
    longitude: location?.longitude ?? null,
    arrivedAt: task.arrivedAt,
    etaAt: task.etaAt,
    timeToServe: task.timeToServe,
    scheduledAt: task.scheduledAt,
    estimatedDuration: task.estimatedDuration,
    createdAt: task.createdAt,
    readyAt: task.readyAt,
    windowStart: task.windowStart,
    windowEnd: task.windowEnd,
    pickupLatitude: pickupLocation?.latitude ?? null,
    pickupLongitude: pickupLocation?.longitude ?? null,
    pickupEtaAt: task.pickupEtaAt,
    pickupArrivedAt: task.pickupArrivedAt,
    pickedUpAt: task.pickedUpAt,
  };
}
