import { isDeepStrictEqual } from 'node:util';
import type { UpdateAgent } from '../../../../schema/commands.ts';
import { splitName } from '../../../../schema/customers/customer.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import type { AgentRecord, Home, UpdateAgentInput } from '../../../../schema/fleet/agent.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { rule } from '../rule.ts';
import { liesAt } from '../steps/new-location.ts';
import { draftDecline, withdrawIfUnsuited } from '../steps/task-search.ts';
import { homeOf, phoneOf, skillsOf, vehicleOf } from './agent-fields.ts';
import { draftDuty } from './change-duty.ts';

export const updateAgentRule = rule<UpdateAgent>({
  needs(needed, { agentId, input }) {
    needed.agent(agentId);
    if (!mayEndOffers(input)) return;
    needed.loadOf(agentId);
    needed.openRequestsOf(agentId);
  },
  target: ({ agentId }) => ({ kind: 'agent', id: agentId }),
  decide: decideUpdateAgent,
});

function mayEndOffers({ isActive, vehicle, skills }: UpdateAgentInput): boolean {
  return isActive === false || vehicle !== undefined || skills !== undefined;
}

/**
 * PATCH /agents/:id. A field with its present value changes nothing; an agent that becomes inactive is off duty, and the
 * tasks that it was asked to take and has not accepted are searched on without it. With another vehicle or other skills
 * these are the tasks that it can take no more.
 * Refuses: 404; 409 AGENT_HAS_OPEN_TASKS for ending the activity of an agent with open tasks.
 */
function decideUpdateAgent(draft: Draft, command: UpdateAgent, context: DecideContext): Decision {
  const { agentId, input } = command;
  const before = draft.findAgent(agentId);
  if (!before) return refuse(notFound('Agent', agentId));
  const wanted: AgentRecord = { ...before, ...wantedFields(before, input) };
  if (isDeepStrictEqual(wanted, before)) return done('agent', agentId);
  const isLeaving = before.isActive && !wanted.isActive;
  const asked = mayEndOffers(input) ? draft.openRequestsOf(agentId) : [];
  const offered = new Set(asked.map(({ taskId }) => taskId));
  const openTasks = isLeaving ? draft.heldBy(agentId).filter(({ taskId }) => !offered.has(taskId)).length : 0;
  if (openTasks > 0) return refuse(refusal('AGENT_HAS_OPEN_TASKS', undefined, { agentId, openTasks }));
  const agent = { ...wanted, version: before.version + 1, updatedAt: context.now };
  if (isLeaving && before.onDuty) draftDuty(draft, agent, false, context.now);
  else draft.put({ kind: 'put-agent', agent });
  for (const request of asked) {
    if (isLeaving) draftDecline(draft, request.taskId, request, 'cancelled', context.now, 'withdrawn');
    else withdrawIfUnsuited(draft, request, context.now);
  }
  return done('agent', agentId);
}

function wantedFields(before: AgentRecord, input: UpdateAgentInput): Partial<AgentRecord> {
  const { name, phone, agentType, isActive, vehicle, skills, home } = input;
  return {
    ...(name ? splitName(name) : {}),
    ...(phone ? phoneOf(phone) : {}),
    ...(agentType ? { agentType } : {}),
    ...(isActive == null ? {} : { isActive }),
    ...(vehicle === undefined ? {} : { vehicle: vehicleOf(vehicle) }),
    ...(skills === undefined ? {} : { skills: skillsOf(skills) }),
    ...(home === undefined ? {} : { home: wantedHome(before.home, homeOf(home)) }),
  };
}

/** A home that is sent back as answers show it is the present one, however exactly that was first sent. */
function wantedHome(before: Home | null, home: Home | null): Home | null {
  return before && home && before.address === home.address && liesAt(before, home) ? before : home;
}
