import type { Answer, ApiCall } from '../live/protocol.ts';
import { refusalText } from '../page/refusals.ts';
import { inParts } from '../records/in-parts.ts';
import { pickerText as words } from '../text/english-picker.ts';
import type { Plan } from './plan-words.ts';

/** The plan of a round of assignment for so many of the tasks; without a plan perhaps why there is none. */
export interface PlanFound {
  readonly plan: Plan | null;
  readonly tasks: number;
  readonly fault: string | null;
}

export const NO_PLAN_FOUND: PlanFound = { plan: null, tasks: 0, fault: null };

/**
 * The plan of a round of assignment that would be now. It is shown, and not carried out. A round gives only tasks that
 * nobody has: those that a courier has are handed over without it.
 */
export async function readPlan(
  ids: readonly number[],
  withCourier: (ids: readonly number[]) => Promise<readonly number[]>,
  call: (asked: ApiCall) => Promise<Answer<Plan>>,
): Promise<PlanFound> {
  const taken = new Set(await withCourier(ids));
  const taskIds = ids.filter((id) => !taken.has(id));
  if (taskIds.length === 0) return NO_PLAN_FOUND;
  // Plans of parts would not be one plan: each would give all the time of the same couriers.
  if (inParts(taskIds).length > 1) return { ...NO_PLAN_FOUND, fault: words.tooMany(taskIds.length) };
  const answer = await call({ method: 'POST', path: '/dispatch/preview', body: { taskIds } });
  return answer.ok
    ? { plan: answer.data, tasks: taskIds.length, fault: null }
    : { ...NO_PLAN_FOUND, fault: refusalText(answer.failure) };
}
