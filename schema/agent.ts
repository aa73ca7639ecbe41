import * as v from 'valibot';
import { userView } from './customer.ts';

export const AGENT_TYPES = ['employee', 'freelancer'] as const;
export type AgentType = (typeof AGENT_TYPES)[number];

/** A row of `agents`, with the names that its user had when it was last changed. */
export interface AgentRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly userId: number;
  readonly agentType: AgentType;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string | null;
  readonly countryCode: string | null;
  readonly phoneNumber: string | null;
}

export const taskAgentView = v.object({
  id: v.number(),
  userId: v.number(),
  agentType: v.string(),
  user: userView,
});
