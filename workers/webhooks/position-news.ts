import { activeTaskOf } from '../../engine/domain/tasks/active-task.ts';
import { isStale } from '../../engine/domain/travel/location-rule.ts';
import { type Clock, isoTime } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { PositionStore, SavedPosition } from '../../engine/store/positions/position-store.ts';
import type { Roster } from '../../engine/store/positions/roster-store.ts';
import type { DeliveryStore, UnloggedEvent } from '../../engine/store/webhooks/delivery-store.ts';
import type { FollowerStore, PositionSubscriber } from '../../engine/store/webhooks/follower-store.ts';
import { encodePosition } from '../../engine/views/position-view.ts';
import { unloggedEventId } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';

interface PositionNewsOptions {
  readonly followers: Pick<FollowerStore, 'findPositionSubscribers'>;
  readonly deliveries: Pick<DeliveryStore, 'queuePositions'>;
  readonly positions: Pick<PositionStore, 'load'>;
  readonly readRoster: (organizationId: number) => Promise<Roster>;
  /** The incarnation of the event logs. */
  readonly history: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sends positions to webhooks that ask for them: of the agents heard of since the last time. */
export function createPositionNewsProcessor(options: PositionNewsOptions) {
  const { followers, log } = options;
  return async (): Promise<void> => {
    for (const subscriber of await followers.findPositionSubscribers(LIMITS.webhookPositionsPerRun)) {
      // One organization's trouble is not the others'.
      await tell(options, subscriber).catch((error) => {
        const { organizationId, webhookId } = subscriber;
        log.warn({ err: error, organizationId, webhookId }, 'positions could not be sent to a webhook');
      });
    }
  };
}

async function tell(options: PositionNewsOptions, { knownUntil, foundAt, ...key }: PositionSubscriber): Promise<void> {
  const { deliveries, history, clock } = options;
  const afterMs = Date.parse(knownUntil);
  const nowMs = clock.now();
  const kept = await options.positions.load(key.organizationId);
  const news = kept.filter(({ receivedAtMs }) => receivedAtMs > afterMs);
  const items = await itemsOf(options, key.organizationId, news, nowMs);
  const events: UnloggedEvent[] = [];
  for (let at = 0; at < items.length; at += LIMITS.webhookPositionItems)
    events.push(positionsEvent(history, key, items.slice(at, at + LIMITS.webhookPositionItems), nowMs, at));
  const latestMs = Math.max(nowMs, Date.parse(foundAt)) + LIMITS.webhookPositionLagMs;
  await deliveries.queuePositions(key, isoTime(knownUntilMs(kept, afterMs, latestMs)), events);
}

/**
 * Until when every position is known, once those after `afterMs` are sent. Another that was received before the last
 * one may come to Redis yet: the next time looks back, once, and sends some again. It is compared with times of
 * the same clocks only: with that of this process, one that is ahead would send nothing. A time after `latestMs` is that
 * of a clock far ahead: counted here, it would silence the positions of others until then.
 */
function knownUntilMs(kept: readonly SavedPosition[], afterMs: number, latestMs: number): number {
  const times = kept.map(({ receivedAtMs }) => receivedAtMs).filter((ms) => ms <= latestMs);
  const lastMs = times.reduce((last, ms) => Math.max(last, ms), 0);
  const settledMs = lastMs - LIMITS.webhookPositionLagMs;
  return settledMs > afterMs ? settledMs : lastMs;
}

/** The JSON of positions. */
async function itemsOf(
  { readRoster }: PositionNewsOptions,
  organizationId: number,
  news: readonly SavedPosition[],
  nowMs: number,
): Promise<string[]> {
  if (news.length === 0) return [];
  const roster = new Map((await readRoster(organizationId)).agents.map((agent) => [agent.agentId, agent]));
  return news.flatMap((position) => {
    const agent = roster.get(position.agentId);
    if (!agent) return [];
    const activeTaskId = activeTaskOf(agent.openTasks);
    return encodePosition({ ...position, onDuty: agent.onDuty, activeTaskId }, isStale(position, nowMs));
  });
}

function positionsEvent(
  history: string,
  { organizationId, webhookId }: { readonly organizationId: number; readonly webhookId: number },
  items: readonly string[],
  nowMs: number,
  place: number,
): UnloggedEvent {
  const type = 'agent.locations_updated';
  const eventId = unloggedEventId(history, organizationId, `${webhookId}_${nowMs}_${place}`);
  const head = `"id":"${eventId}","type":"${type}","timestamp":"${isoTime(nowMs)}","apiVersion":"v1"`;
  const data = `{"items":[${items.join(',')}],"count":${items.length}}`;
  return { eventId, type, body: `{${head},"organizationId":${organizationId},"data":${data}}` };
}
