import type { Engine } from '../../engine/org/start-engine.ts';
import { systemClock } from '../../engine/runtime/clock.ts';
import { type Config, requireUrl } from '../../engine/runtime/config.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { isLinked } from '../../engine/store/records/tracking-store.ts';
import { type Letterhead, letterheadOf } from '../../schema/accounts/letterhead.ts';
import type { Answer, Caller } from '../../schema/commands.ts';
import { ERRORS } from '../../schema/errors.ts';
import type { IdempotencyKey } from '../../schema/fields/idempotency-key.ts';
import type { PositionView } from '../../schema/fleet/position.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { RateTaskInput } from '../../schema/tasks/rating.ts';
import type { Followed, FollowedTask, TrackedPosition } from '../../schema/tasks/tracking.ts';
import { RefusalError } from '../refusal-error.ts';
import { TrackingLinks } from './tracking-links.ts';

/** A link that shows something, and what. */
export interface Link {
  readonly organizationId: number;
  readonly letterhead: Letterhead;
  /** The task that the link is about. */
  readonly own: FollowedTask;
  /** The tasks that it shows: that task, or the parts of a job. */
  readonly tasks: readonly FollowedTask[];
  /** Milliseconds since the epoch; infinite until the task has ended. */
  readonly diesAtMs: number;
}

/** The customers' view of their tasks. */
export interface Tracking {
  /**
   * The present content of a link; undefined for one that shows nothing, for any reason: unknown, dead, its
   * organization inactive. Rejects with a RefusalError while that cannot be found out.
   */
  follow(token: string | undefined): Promise<Link | undefined>;
  /** Where the agent of a task is; null unless the task is on its way. */
  locate(organizationId: number, task: FollowedTask): Promise<TrackedPosition | null>;
  /** The stops of others that its courier has before a task; null while that is not known. */
  stopsBefore(organizationId: number, task: FollowedTask): number | null;
  /** To be asked of a task that a link shows. */
  rate(organizationId: number, taskId: number, rating: Rating): Promise<Answer>;
}

export interface Rating {
  readonly caller: Caller;
  readonly input: RateTaskInput;
  readonly idempotency?: IdempotencyKey | undefined;
}

export interface TrackingOptions {
  readonly config: Config;
  readonly releaser: Releaser;
}

const clock = systemClock;

/** The reader behind a link, unknown to all rules. */
const READER: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };

export function openTracking(
  { config, releaser }: TrackingOptions,
  { ask, positions }: Pick<Engine, 'ask' | 'positions'>,
): Tracking {
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch tracking',
    connections: LIMITS.trackingConnections,
    statementTimeoutMs: LIMITS.fetchDeadlineMs,
  });
  releaser.push('postgres (tracking)', () => sql.end({ timeout: 2 }));
  const links = new TrackingLinks((token) => isLinked(sql, token));

  const stopsBefore = (organizationId: number, { carrierId, shown }: FollowedTask) =>
    carrierId == null ? null : positions.stopsBefore(organizationId, carrierId, shown.id);
  const counted = (organizationId: number, followed: Followed): Followed => {
    const withStops = (task: FollowedTask): FollowedTask => {
      const shown = { ...task.shown, stopsBefore: stopsBefore(organizationId, task) };
      return { ...task, shown };
    };
    const { task, children } = followed;
    return { ...followed, task: withStops(task), children: children.map(withStops) };
  };

  return {
    stopsBefore,
    async follow(token) {
      const linked = await links.find(token);
      if (!linked) return undefined;
      const { organizationId, taskId } = linked;
      const answer = await ask(organizationId, { kind: 'read-task', caller: READER, taskId, show: 'tracking' });
      if (answer.ok)
        return linkOf(organizationId, counted(organizationId, JSON.parse(answer.data) as Followed), token!);
      if (ERRORS[answer.refusal.code].status < 500) return undefined;
      throw new RefusalError(answer.refusal);
    },
    async locate(organizationId, { agentId }) {
      if (agentId === null) return null;
      const { items } = await positions.current(organizationId, { agentIds: [agentId] });
      if (items[0] === undefined) return null;
      const { latitude, longitude, recordedAt, isStale } = JSON.parse(items[0]) as PositionView;
      return { latitude, longitude, recordedAt, isStale };
    },
    rate: (organizationId, taskId, rating) => ask(organizationId, { kind: 'rate-task', taskId, ...rating }),
  };
}

function linkOf(organizationId: number, followed: Followed, token: string): Link | undefined {
  const { organization, task, children } = followed;
  const diesAtMs =
    task.endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(task.endedAt) + LIMITS.trackingAfterEndMs;
  if (followed.token !== token || !organization.isActive || clock.now() >= diesAtMs) return undefined;
  const tasks = children.length > 0 ? children : [task];
  const { letterhead = letterheadOf({ ...organization, settings: {} }) } = organization;
  return { organizationId, letterhead, own: task, tasks, diesAtMs };
}

/** The task of that id, if the link shows it; a job's link shows its parts, and not the job. */
export function taskOf({ tasks }: Link, taskId: number): FollowedTask | undefined {
  return tasks.find(({ shown }) => shown.id === taskId);
}
