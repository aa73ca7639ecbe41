import type { RoundView } from '../../../engine/domain/assignment/round-view.ts';
import type { Log } from '../../../engine/runtime/log.ts';
import type { CourierStore } from '../../../engine/store/planning/courier-store.ts';
import type { AssignmentSettings } from '../../../schema/assignment/assignment.ts';
import type { LackingTask } from '../../../schema/assignment/proposed-offer.ts';
import type { Answer } from '../../../schema/commands.ts';
import type { OwnerCommand } from '../../../schema/owner-command.ts';
import type { CourierJob, CourierProvider } from './courier-provider.ts';
import type { CourierTurn, RoundPage } from './courier-turn.ts';

export interface CallCouriersOptions {
  readonly provider: CourierProvider;
  readonly store: CourierStore;
  readonly ask: (organizationId: number, command: OwnerCommand) => Promise<Answer>;
  readonly log: Log;
}

/** Whose turn it is in an organization, and the tasks that its round looks at. */
export interface TurnOfRound extends RoundPage {
  readonly turn: CourierTurn;
}

/**
 * Has external couriers take the tasks for which no agent is eligible, if the organization allows it. Resolves to the
 * tasks for which a later round asks: those whose turn is still to come, and those for which it could not be learned
 * whether somebody comes. Never rejects: a company that fails is no reason to hold up a round.
 */
export type CallCouriers = (
  organizationId: number,
  settings: AssignmentSettings,
  jobs: readonly CourierJob[],
  round: TurnOfRound,
) => Promise<ReadonlySet<number>>;

/**
 * Books couriers: first the company agrees, then the owner; a booking that the owner refuses is withdrawn. When the
 * process dies in between, or the owner's answer is lost, a later check informs the company (tell-companies.ts).
 */
export function createCallCouriers(options: CallCouriersOptions): CallCouriers {
  return async (organizationId, settings, jobs, { turn, ...page }) => {
    const { externalCouriers } = settings;
    const possible = externalCouriers ? jobs.filter(({ load }) => options.provider.mayCarry(settings, load)) : [];
    const wanted = turn.next(possible, page);
    const waiting = new Set(possible.map(({ taskId }) => taskId));
    if (wanted.length === 0) return waiting;
    try {
      const isAnswered = await sendCouriers(options, organizationId, settings, wanted);
      if (isAnswered) for (const { taskId } of wanted) waiting.delete(taskId);
    } catch (error) {
      options.log.warn({ err: error, organizationId }, 'couriers could not be called');
    }
    return waiting;
  };
}

/** The tasks that no agent can take now; one that somebody is meant for, or that others were preferred to, is none. */
export function jobsForCouriers(lacking: readonly LackingTask[], { orders }: RoundView): CourierJob[] {
  const byId = new Map(orders.map((order) => [order.taskId, order]));
  return lacking.flatMap(({ taskId, reason, counts }) => {
    const order = byId.get(taskId);
    if (!order || reason === null || counts['chosen_for_another']) return [];
    return [{ taskId, load: order.load, pickup: order.pickup, dropoff: order.dropoff }];
  });
}

/** Resolves to whether the company and the owner both answered. */
async function sendCouriers(
  { provider, store, ask, log }: CallCouriersOptions,
  organizationId: number,
  settings: AssignmentSettings,
  jobs: readonly CourierJob[],
): Promise<boolean> {
  const sent = await provider.book(organizationId, settings, jobs);
  if (sent.size === 0) return true;
  const taskIds = [...sent.keys()];
  const couriers = await store.identify(organizationId, [...sent.values()]);
  const assignments = taskIds.map((taskId, index) => ({ taskId, courier: couriers[index]! }));
  const answer = await ask(organizationId, { kind: 'assign-couriers', assignments });
  if (!answer.ok) log.warn({ organizationId, code: answer.refusal.code }, 'an owner may not have heard of couriers');
  // A booking that may still be in flight is not withdrawn now: notifyCompanies finds it when it must have arrived.
  if (!answer.ok && answer.refusal.code === 'OUTCOME_UNKNOWN') return false;
  const untaken = await store.findWithoutCourier(organizationId, taskIds);
  if (untaken.length > 0) await provider.withdraw(organizationId, untaken);
  return answer.ok;
}
