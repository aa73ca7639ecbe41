import { changedOrganization, type OrganizationRecord } from '../../../../schema/accounts/organization.ts';
import type { UpdateOrganization } from '../../../../schema/commands.ts';
import { refusal } from '../../../../schema/errors.ts';
import { isCurrency, NO_CURRENCY } from '../../../domain/money/money.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse, violate } from '../decision.ts';
import { needsNothing, rule } from '../rule.ts';

export const updateOrganizationRule = rule<UpdateOrganization>({
  needs: needsNothing,
  target: (_, organizationId) => ({ kind: 'organization', id: organizationId }),
  decide: decideUpdateOrganization,
});

/**
 * PATCH /organizations/:id. A field with its present value changes nothing. Refuses, in this order: 403 for the status
 * and the limits, which only super admins change; 400 for an unknown currency and for too large settings.
 */
function decideUpdateOrganization(draft: Draft, command: UpdateOrganization, context: DecideContext): Decision {
  const { caller, input } = command;
  const { organization: before } = draft;
  const isReserved = input.status != null || input.limits != null;
  if (isReserved && caller.role !== 'super_admin') return refuse(refusal('FORBIDDEN'));
  if (input.currency != null && !isCurrency(input.currency)) return violate(NO_CURRENCY);
  const fields = changedOrganization(before, input);
  if ('violation' in fields) return violate(fields.violation);
  const organization: OrganizationRecord = { ...before, ...fields };
  if (JSON.stringify(organization) !== JSON.stringify(before)) {
    const { version } = before;
    draft.put({
      kind: 'put-organization',
      organization: { ...organization, version: version + 1, updatedAt: context.now },
    });
  }
  return done('organization', before.organizationId);
}
