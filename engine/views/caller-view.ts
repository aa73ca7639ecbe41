import { type CallerView, callerView, type SignedInView, signedInView } from '../../schema/accounts/caller.ts';
import type { ChannelStatus } from '../../schema/accounts/channel.ts';
import { letterheadOf } from '../../schema/accounts/letterhead.ts';
import type { OrganizationRecord } from '../../schema/accounts/organization.ts';
import type { AgentRecord } from '../../schema/fleet/agent.ts';
import { agentViewOf } from './agent-view.ts';
import { compileSerializer } from './parts/serializer.ts';

const serializeCaller = compileSerializer(callerView);
const serializeSignedIn = compileSerializer(signedInView);

export type ShownOrganization = Pick<OrganizationRecord, 'name' | 'status' | 'currency' | 'settings'> & {
  readonly id: number;
};

export interface ShownCaller extends Pick<CallerView, 'credential' | 'permissions' | 'user'> {
  readonly organization: ShownOrganization | null;
  readonly channel: { readonly id: number; readonly name: string; readonly status: ChannelStatus } | null;
  readonly agent: AgentRecord | null;
}

/** Returns the JSON of a caller: who it is, where it acts, and what it may do. */
export function encodeCaller({ agent, organization, ...rest }: ShownCaller): string {
  return serializeCaller({
    ...rest,
    organization: organization && organizationOf(organization),
    agent: agent && agentViewOf(agent),
  });
}

/** Returns the JSON of a sign-in: the tokens, and the user and organization as encodeCaller shows them. */
export function encodeSignedIn({
  organization,
  ...rest
}: Omit<SignedInView, 'organization'> & { readonly organization: ShownOrganization | null }): string {
  return serializeSignedIn({ ...rest, organization: organization && organizationOf(organization) });
}

function organizationOf({ settings, ...organization }: ShownOrganization) {
  const { timeZone } = letterheadOf({ name: organization.name, settings });
  return { ...organization, timeZone };
}
