import * as v from 'valibot';
import { assignmentSettingsInput } from '../assignment/assignment.ts';
import { currencyInput } from '../fields/amount.ts';
import { freeObject, integerBetween, oneOf, requiredText, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { pageQuery } from '../fields/page-query.ts';
import { REQUIREMENTS, requirementsInput } from '../fields/requirements.ts';
import { shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';
import { letterheadSettings } from './letterhead.ts';

export const ORGANIZATION_STATUSES = named('OrganizationStatus', [
  'active',
  'pending',
  'inactive',
  'rejected',
] as const);
export type OrganizationStatus = (typeof ORGANIZATION_STATUSES)[number];

/** The limits of a subscription; absent or null is no limit. */
export const LIMITED_RESOURCES = ['tasks', 'customers', 'agents', 'warehouses'] as const;
export type SubscriptionLimits = Readonly<Partial<Record<(typeof LIMITED_RESOURCES)[number], number | null>>>;

export type OrganizationSettings = Readonly<Record<string, unknown>>;

/** A row of `organizations`. */
export interface OrganizationRecord {
  readonly organizationId: number;
  readonly version: number;
  readonly name: string;
  readonly status: OrganizationStatus;
  readonly currency: string;
  readonly limits: SubscriptionLimits;
  readonly settings: OrganizationSettings;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const name = requiredText(LIMITS.shortTextChars);
const limit = v.nullish(integerBetween(0, Number.MAX_SAFE_INTEGER, 'must be an integer of 0 or more'));
const leadMinutes = integerBetween(0, LIMITS.leadMinutes, `must be an integer from 0 to ${LIMITS.leadMinutes}`);
const limits = named(
  'SubscriptionLimitsInput',
  v.object({ tasks: limit, customers: limit, agents: limit, warehouses: limit }, 'must be an object'),
);

/** The organization's own settings, except those that the engine uses. */
const settings = v.pipe(
  freeObject,
  v.description(
    'Further settings that the organization keeps; the engine uses `leadMinutes`, `timeZone` (IANA, UTC by default), ' +
      `\`contact\` {phone, email}, \`requirements\` {${REQUIREMENTS.join(', ')}} of new tasks and \`assignment\` {${Object.keys(assignmentSettingsInput.entries).join(', ')}}`,
  ),
  v.looseObject({
    assignment: v.nullish(v.pipe(freeObject, assignmentSettingsInput)),
    leadMinutes: v.nullish(leadMinutes),
    requirements: v.nullish(requirementsInput),
    ...letterheadSettings,
  }),
);

/** The body of POST /organizations. */
export const createOrganizationInput = v.object(
  {
    name,
    status: v.nullish(oneOf(ORGANIZATION_STATUSES)),
    currency: v.nullish(currencyInput),
    limits: v.nullish(limits),
    settings: v.nullish(settings),
  },
  'the body must be an object',
);
export type CreateOrganizationInput = v.InferOutput<typeof createOrganizationInput>;

/** The body of PATCH /organizations/:id: what is absent or null stays; see `changedOrganization` for what is inside. */
export const updateOrganizationInput = v.object(
  { ...createOrganizationInput.entries, name: v.nullish(name) },
  'the body must be an object',
);
export type UpdateOrganizationInput = v.InferOutput<typeof updateOrganizationInput>;

/** The body of DELETE /organizations/:id/hard: the organization's name, as a sign that it is meant. */
export const deleteOrganizationInput = named(
  'DeleteOrganizationInput',
  v.object({ confirm: shortText }, 'the body must be an object'),
);

export type OrganizationFields = Pick<OrganizationRecord, 'name' | 'status' | 'currency' | 'limits' | 'settings'>;

/** Settings of the engine that hold settings themselves. An organization's own settings are each replaced whole. */
const GROUPS = ['assignment', 'contact', 'requirements'] as const;

/**
 * The organization after a PATCH, or the violation. Limits and settings that are not named stay, in the groups, too; null
 * removes one.
 */
export function changedOrganization(
  before: OrganizationFields,
  input: UpdateOrganizationInput,
): OrganizationFields | { readonly violation: string } {
  const settings = merged(before.settings, withGroups(before.settings, input.settings));
  if (Buffer.byteLength(JSON.stringify(settings)) > LIMITS.integrationDataBytes)
    return { violation: `settings must be at most ${LIMITS.integrationDataBytes} bytes of JSON, all together` };
  return {
    name: input.name ?? before.name,
    status: input.status ?? before.status,
    currency: input.currency ?? before.currency,
    limits: merged(before.limits, input.limits),
    settings,
  };
}

/** The changes of settings, with each group as it is afterwards. */
function withGroups(before: OrganizationSettings, changes: OrganizationSettings | null | undefined) {
  const groups = GROUPS.flatMap((name) => {
    const change = changes?.[name];
    return isObject(change) ? [[name, merged(isObject(before[name]) ? before[name] : {}, change)] as const] : [];
  });
  return { ...changes, ...Object.fromEntries(groups) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function merged<T>(before: Readonly<Record<string, T>>, changes: Readonly<Record<string, T>> | null | undefined) {
  const fields = Object.entries({ ...before, ...changes });
  return Object.fromEntries(fields.filter(([, value]) => value !== null && value !== undefined));
}

const shownLimit = v.nullable(shownInteger);

export const organizationView = named(
  'Organization',
  v.object({
    id: shownId,
    name: v.string(),
    status: v.picklist(ORGANIZATION_STATUSES),
    currency: v.string(),
    limits: named(
      'SubscriptionLimits',
      v.object({ tasks: shownLimit, customers: shownLimit, agents: shownLimit, warehouses: shownLimit }),
    ),
    settings: v.record(v.string(), v.unknown()),
    createdAt: shownTime,
    updatedAt: shownTime,
  }),
);
export type OrganizationView = v.InferOutput<typeof organizationView>;

/** The part of an organization that its agents read. */
export const organizationForAgentsView = named(
  'OrganizationForAgents',
  v.object({
    id: shownId,
    name: v.string(),
    currency: v.string(),
    timeZone: v.string(),
  }),
);

export const organizationListView = named(
  'OrganizationList',
  v.object({ items: v.array(organizationView), count: shownInteger }),
);

/** From here on nothing of the organization is served; a job empties the stores of it. */
export const deletingOrganizationView = named(
  'DeletingOrganization',
  v.object({ organizationId: shownId, status: v.literal('deleting') }),
);

/** The query of GET /organizations. `search`: part of a name. */
export const listOrganizationsQuery = v.object({
  ...pageQuery,
  status: v.optional(v.array(oneOf(ORGANIZATION_STATUSES))),
  search: v.optional(shortText),
});
export type ListOrganizationsQuery = v.InferOutput<typeof listOrganizationsQuery>;
