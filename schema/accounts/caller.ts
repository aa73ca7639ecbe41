import * as v from 'valibot';
import { named } from '../fields/named.ts';
import { shownId } from '../fields/shown-fields.ts';
import { agentView } from '../fleet/agent.ts';
import { CHANNEL_STATUSES } from './channel.ts';
import { ORGANIZATION_STATUSES } from './organization.ts';
import { ROLES } from './role.ts';
import { tokensView } from './session.ts';

/** The user of a caller. Only agents have a phone. */
const callerUserView = named(
  'CallerUser',
  v.object({
    id: shownId,
    email: v.nullable(v.string()),
    firstName: v.string(),
    lastName: v.string(),
    phoneNumber: v.nullable(v.string()),
    countryCode: v.nullable(v.string()),
    role: v.picklist(ROLES),
  }),
);

const callerOrganizationView = named(
  'CallerOrganization',
  v.object({
    id: shownId,
    name: v.string(),
    status: v.picklist(ORGANIZATION_STATUSES),
    currency: v.string(),
    timeZone: v.string(),
  }),
);

/** The answer of GET /auth/me. `organization` and `channel` are null for a super admin who names no organization. */
export const callerView = named(
  'Caller',
  v.object({
    credential: v.picklist(['session', 'apiKey']),
    user: callerUserView,
    organization: v.nullable(callerOrganizationView),
    channel: v.nullable(
      named('CallerChannel', v.object({ id: shownId, name: v.string(), status: v.picklist(CHANNEL_STATUSES) })),
    ),
    agent: v.nullable(agentView),
    permissions: v.array(v.string()),
  }),
);
export type CallerView = v.InferOutput<typeof callerView>;

/** The answer of a sign-in and of a refresh: the tokens, and the people they are for as GET /auth/me shows them. */
export const signedInView = named(
  'SignedIn',
  v.object({
    ...tokensView.entries,
    user: callerUserView,
    organization: v.nullable(callerOrganizationView),
  }),
);
export type SignedInView = v.InferOutput<typeof signedInView>;
