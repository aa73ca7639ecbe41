import { type Refusal, refusal } from '../../../../schema/errors.ts';
import type { AgentRecord } from '../../../../schema/fleet/agent.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { exceedsCapacity, lacksSkills, overlaps } from '../../../domain/assignment/eligibility.ts';
import { loadOf, slotOf, sumOf } from '../../../domain/assignment/load.ts';
import type { Capacity } from '../../../domain/assignment/round-view.ts';
import type { HeldTask } from '../../state/agent-loads.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';

/** The load of an agent's vehicle. */
function capacityOf({ vehicle }: Pick<AgentRecord, 'vehicle'>): Capacity {
  const { maxWeightKg = null, maxVolumeM3 = null, maxPackages = null } = vehicle ?? {};
  return { maxWeightKg, maxVolumeM3, maxPackages };
}

/** Whether there is a load that its vehicle cannot carry. */
export function isLimited(agent: Pick<AgentRecord, 'vehicle'>): boolean {
  return Object.values(capacityOf(agent)).some((limit) => limit !== null);
}

/**
 * Whether an agent can take a task beside those that it has, the one time that each holds included. Without `maxTasks`
 * their number does not matter. Refuses: 409 AGENT_SLOT_TAKEN, AGENT_OVER_CAPACITY.
 */
export function judgeFit(draft: Draft, facts: TaskFacts, agent: AgentRecord, maxTasks?: number): Refusal | undefined {
  const { id: agentId } = agent;
  const taken = judgeSlot(draft, facts.task, agentId);
  if (taken) return taken;
  const held = othersHeldBy(draft, facts.task, agentId);
  if (maxTasks !== undefined && held.length >= maxTasks) {
    return refusal('AGENT_OVER_CAPACITY', 'The agent has as many tasks as it may have', { agentId, maxTasks });
  }
  return isCarried(facts, agent, held) ? undefined : refusal('AGENT_OVER_CAPACITY', undefined, { agentId });
}

/** Whether an agent has the skills for a task, and a vehicle for it beside those that it has. */
export function isSuited(draft: Draft, facts: TaskFacts, agent: AgentRecord): boolean {
  if (lacksSkills(agent.skills, facts.task.requiredSkills ?? [])) return false;
  return isCarried(facts, agent, othersHeldBy(draft, facts.task, agent.id));
}

function isCarried({ packages }: TaskFacts, agent: AgentRecord, held: readonly HeldTask[]): boolean {
  return !exceedsCapacity(capacityOf(agent), sumOf(held.map((one) => one.load)), loadOf(packages));
}

/** Whether the time of a task is free with an agent. Refuses: 409 AGENT_SLOT_TAKEN. */
export function judgeSlot(draft: Draft, task: TaskRecord, agentId: number): Refusal | undefined {
  const slot = slotOf(task);
  if (!slot) return undefined;
  const slots = othersHeldBy(draft, task, agentId).flatMap((one) => one.slot ?? []);
  return overlaps(slots, slot) ? refusal('AGENT_SLOT_TAKEN', undefined, { agentId }) : undefined;
}

function othersHeldBy(draft: Draft, { id }: TaskRecord, agentId: number): HeldTask[] {
  return draft.heldBy(agentId).filter(({ taskId }) => taskId !== id);
}
