import type { Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { EndpointKey, FollowerStore } from '../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { JobRunner } from '../job-runner.ts';
import { type OutboxRelay, startOutboxRelay } from '../outbox-relay.ts';
import { type EndpointRunner, nameOf } from './endpoint-runner.ts';

export interface WakingOptions {
  readonly runner: Pick<JobRunner, 'add'>;
  readonly endpoints: Pick<EndpointRunner, 'nudge' | 'justLeft'>;
  readonly followers: Pick<FollowerStore, 'findWaiting' | 'findFollowed'>;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/**
 * Endpoints that are served here are nudged, the others get a job: hints make it quick, a sweep makes it sure.
 * Organizations without an active webhook are passed over, so that the first active one may get its first event a
 * second late.
 */
export function startWaking({ runner, endpoints, followers, scheduler, log }: WakingOptions): OutboxRelay {
  const add = async (keys: readonly EndpointKey[]) => {
    const jobs = keys.map((key) => ({ id: nameOf(key), payload: key }));
    for (let at = 0; at < jobs.length; at += LIMITS.jobsPerAdd)
      await runner.add('webhooks', jobs.slice(at, at + LIMITS.jobsPerAdd));
  };
  return startOutboxRelay({
    findLagging: (after, limit) => followers.findWaiting(after, limit),
    async wake(organizationIds, passOver) {
      const followed = await followers.findFollowed(organizationIds);
      const having = new Set(followed.map(({ organizationId }) => organizationId));
      passOver(organizationIds.filter((organizationId) => !having.has(organizationId)));
      const unserved = endpoints.nudge(
        followed.flatMap(({ organizationId, waiting }) => waiting.map((webhookId) => ({ organizationId, webhookId }))),
      );
      await add(unserved);
      const ending = endpoints.justLeft(unserved);
      if (ending.length > 0)
        scheduler.after(LIMITS.webhookJobEndMs, () => {
          add(ending).catch((error) => log.debug({ err: error }, 'webhooks wait for the next sweep'));
        });
    },
    scheduler,
    log,
  });
}
