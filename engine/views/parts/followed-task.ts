import { letterheadOf } from '../../../schema/accounts/letterhead.ts';
import type { OrganizationRecord } from '../../../schema/accounts/organization.ts';
import type { TaskBundle, TaskRecord, TaskStatus } from '../../../schema/tasks/task.ts';
import { isTerminal } from '../../../schema/tasks/task.ts';
import type { Followed, FollowedTask, TrackedTask } from '../../../schema/tasks/tracking.ts';
import { deliveryPinOf } from '../../domain/tasks/delivery-pin.ts';
import { trackingTokenOf } from '../../domain/tasks/tracking-token.ts';
import { ratingViewOf } from '../task-view.ts';

/**
 * Returns the JSON behind a tracking link. This is the only place that decides which task fields a customer may see.
 */
export function encodeFollowed(bundle: TaskBundle, organization: OrganizationRecord): string {
  const { name, status } = organization;
  const children = bundle.children.map((child) => followedTaskOf(child, endOf(child.task)));
  const followed: Followed = {
    organization: { name, isActive: status === 'active', letterhead: letterheadOf(organization) },
    token: trackingTokenOf(bundle.task),
    task: followedTaskOf(bundle, endOfFamily(bundle)),
    children,
  };
  return JSON.stringify(followed);
}

function followedTaskOf(bundle: TaskBundle, endedAt: string | null): FollowedTask {
  const { task } = bundle;
  return {
    shown: trackedTaskOf(bundle, endedAt),
    agentId: task.status === 'in_transit' && task.childIds === null ? task.agentId : null,
    carrierId: isComing(task) ? task.agentId : null,
    endedAt,
  };
}

function isComing({ status, arrivedAt, childIds }: TaskRecord): boolean {
  return (status === 'accepted' || status === 'in_transit') && arrivedAt === null && childIds === null;
}

function trackedTaskOf({ task, agent, location, packages }: TaskBundle, endedAt: string | null): TrackedTask {
  const { windowEnd } = task;
  const windowStart = task.windowStart ?? task.scheduledAt;
  return {
    id: task.id,
    code: task.code,
    name: task.name,
    status: task.status,
    outcome: task.outcome,
    timeline: timelineOf(task, endedAt),
    etaAt: isTerminal(task.status) ? null : task.etaAt,
    // No record says where agents are: the gateway that answers looks it up.
    stopsBefore: null,
    arrivedAt: task.arrivedAt,
    window: windowStart === null && windowEnd === null ? null : { start: windowStart, end: windowEnd },
    destination: location && {
      address: location.address,
      latitude: location.latitude,
      longitude: location.longitude,
    },
    pin: isTerminal(task.status) || task.childIds !== null ? null : deliveryPinOf(task.trackingToken),
    packageCount: packages.reduce((count, { quantity }) => count + quantity, 0),
    agent: HAS_TAKEN_IT.has(task.status) ? firstNameOf(agent?.firstName ?? task.courier?.name) : null,
    rating: ratingViewOf(task),
  };
}

/** The agent's name is shown only in these statuses. Before them, an agent was at most asked and may still decline. */
const HAS_TAKEN_IT: ReadonlySet<TaskStatus> = new Set(['accepted', 'in_transit', 'completed']);

function firstNameOf(name: string | undefined): TrackedTask['agent'] {
  const [firstName] = name?.trim().split(/\s+/) ?? [];
  return firstName ? { firstName } : null;
}

function timelineOf(task: TaskRecord, endedAt: string | null): TrackedTask['timeline'] {
  const steps = [
    ['new', task.createdAt],
    ['assigned', task.assignedAt],
    ['accepted', task.acceptedAt],
    ['in_transit', task.startedAt],
    ['completed', task.status === 'completed' ? endedAt : null],
    ['cancelled', task.status === 'cancelled' ? endedAt : null],
  ] as const;
  return steps.flatMap(([status, at]) => (at === null ? [] : [{ status, at }]));
}

/** Tasks cancelled by an earlier release have no `cancelledAt`, so their last update counts as the end. */
function endOf({ status, completedAt, cancelledAt, updatedAt }: TaskRecord): string | null {
  return isTerminal(status) ? (completedAt ?? cancelledAt ?? updatedAt) : null;
}

function endOfFamily({ task, children }: TaskBundle): string | null {
  if (children.length === 0 || !isTerminal(task.status)) return endOf(task);
  return children
    .map((child) => endOf(child.task) ?? task.updatedAt)
    .sort()
    .at(-1)!;
}
