import { type Refusal, refusal } from '../../../../schema/errors.ts';
import type { AgentRecord } from '../../../../schema/fleet/agent.ts';
import { exceedsCapacity, overlaps } from '../../../domain/assignment/eligibility.ts';
import { loadOf, slotOf, sumOf } from '../../../domain/assignment/load.ts';
import type { Capacity } from '../../../domain/assignment/round-view.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';

/** The load of an agent's vehicle. */
function capacityOf({ vehicle }: Pick<AgentRecord, 'vehicle'>): Capacity {
  const { maxWeightKg = null, maxVolumeM3 = null, maxPackages = null } = vehicle ?? {};
  return { maxWeightKg, maxVolumeM3, maxPackages };
}

/**
 * Whether an agent can take a task beside those that it has, the one time that each holds included. Without `maxTasks`
 * their number does not matter. Refuses: 409 AGENT_SLOT_TAKEN, AGENT_OVER_CAPACITY.
 */
export function judgeFit(draft: Draft, facts: TaskFacts, agent: AgentRecord, maxTasks?: number): Refusal | undefined {
  const { id: agentId } = agent;
  const held = draft.heldBy(agentId).filter(({ taskId }) => taskId !== facts.task.id);
  const slot = slotOf(facts.task);
  const slots = held.flatMap((one) => one.slot ?? []);
  if (slot && overlaps(slots, slot)) return refusal('AGENT_SLOT_TAKEN', undefined, { agentId });
  if (maxTasks !== undefined && held.length >= maxTasks) {
    return refusal('AGENT_OVER_CAPACITY', 'The agent has as many tasks as it may have', { agentId, maxTasks });
  }
  const load = sumOf(held.map((one) => one.load));
  const isTooMuch = exceedsCapacity(capacityOf(agent), load, loadOf(facts.packages));
  return isTooMuch ? refusal('AGENT_OVER_CAPACITY', undefined, { agentId }) : undefined;
}
