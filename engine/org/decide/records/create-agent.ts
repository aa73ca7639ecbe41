import type { CreateAgent } from '../../../../schema/commands.ts';
import { splitName } from '../../../../schema/customers/customer.ts';
import { refusal } from '../../../../schema/errors.ts';
import type { AgentRecord } from '../../../../schema/fleet/agent.ts';
import { shiftFieldsOf } from '../../../domain/assignment/agent-shifts.ts';
import { checkQuota, quotaPeriod } from '../../../domain/quota.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { NEW_AGENT } from '../id-demand.ts';
import { rule } from '../rule.ts';
import { homeOf, phoneOf, skillsOf, vehicleOf } from './agent-fields.ts';

export const createAgentRule = rule<CreateAgent>({
  needs: (needed, { input }) => needed.freeEmail(input.email),
  ids: () => NEW_AGENT,
  decide: decideCreateAgent,
});

/** POST /agents. Refuses, in this order: 409 USER_EMAIL_TAKEN; 403 PACKAGE_LIMIT_EXCEEDED. */
function decideCreateAgent(draft: Draft, command: CreateAgent, context: DecideContext): Decision {
  const { input, passwordHash } = command;
  const { now } = context;
  if (draft.isEmailTaken(input.email)) return refuse(refusal('USER_EMAIL_TAKEN'));
  const period = quotaPeriod('agents', now);
  const used = draft.usedOf('agents', period);
  const overQuota = checkQuota('agents', draft.organization.limits.agents, used, 1, now);
  if (overQuota) return refuse(overQuota);
  const agent: AgentRecord = {
    organizationId: draft.organizationId,
    id: context.nextId('agent'),
    version: 1,
    userId: context.nextId('user'),
    agentType: input.agentType,
    isActive: true,
    onDuty: false,
    dutyChangedAt: null,
    ...splitName(input.name),
    email: input.email,
    ...phoneOf(input.phone),
    vehicle: vehicleOf(input.vehicle),
    skills: skillsOf(input.skills),
    home: homeOf(input.home),
    createdAt: now,
    updatedAt: now,
    ...shiftFieldsOf(null, now),
  };
  draft.put({ kind: 'put-agent', agent, passwordHash });
  draft.put({ kind: 'count-usage', resource: 'agents', period, used: used + 1 });
  return done('agent', agent.id, 201);
}
