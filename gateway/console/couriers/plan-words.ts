import { text } from '../text/english.ts';
import { pickerText as words } from '../text/english-picker.ts';

/** A round of assignment as POST /dispatch/preview answers, as far as the choice of a courier shows it. */
export interface Plan {
  readonly offers: readonly {
    readonly agentId: number;
    readonly taskIds: readonly number[];
    /** Until each of the tasks is served. */
    readonly etaSeconds: readonly number[];
  }[];
  readonly unplanned: readonly { readonly nearest: readonly { readonly agentId: number; readonly reason: string }[] }[];
}

export interface PlanWords {
  /** How many of the tasks the plan gives the courier; null for none. */
  readonly planned: string | null;
  /** Why it gives nothing, as far as one reason says it. */
  readonly passedOver: string | null;
}

/** A plan for so many tasks, in words for each courier. */
export function planWords(plan: Plan, tasks: number): (agentId: number) => PlanWords {
  const reasons = new Map<number, Set<string>>();
  for (const { agentId, reason } of plan.unplanned.flatMap(({ nearest }) => nearest))
    reasons.set(agentId, (reasons.get(agentId) ?? new Set()).add(reason));
  return (agentId) => {
    const offers = plan.offers.filter((offer) => offer.agentId === agentId);
    const given = offers.reduce((sum, { taskIds }) => sum + taskIds.length, 0);
    if (given > 0) {
      const span = text.time.spans(Math.round(Math.max(...offers.flatMap(({ etaSeconds }) => etaSeconds)) / 60));
      return { planned: tasks === 1 ? words.planned(span) : words.plannedOf(given, tasks, span), passedOver: null };
    }
    return { planned: null, passedOver: whyNot([...(reasons.get(agentId) ?? [])], tasks) };
  };
}

/** A courier who was passed over for somebody else could have taken the task. */
function whyNot(reasons: readonly string[], tasks: number): string | null {
  const [reason] = reasons;
  const isForAnother = reason === 'chosen_for_another';
  if (reasons.length === 1 && !isForAnother) return text.history.passedReasons[reason!] ?? reason!;
  if (tasks > 1) return words.notPlanned;
  return isForAnother ? words.couldTake : null;
}
