import { hash } from 'node:crypto';
import type { DeleteOrganization } from '../../../../schema/commands.ts';
import { refusal } from '../../../../schema/errors.ts';
import type { Draft } from '../../state/draft.ts';
import { type Decision, refuse, violate } from '../decision.ts';
import { needsNothing, rule } from '../rule.ts';

export const deleteOrganizationRule = rule<DeleteOrganization>({
  needs: needsNothing,
  decide: decideDeleteOrganization,
});

/**
 * DELETE /organizations/:id/hard. Leaves a tombstone: every later command is refused 410 ORGANIZATION_DELETED, and a
 * job of the workers deletes the rows. Refuses 403 for all but super admins, then 400 for another name.
 */
function decideDeleteOrganization(draft: Draft, { caller, confirm }: DeleteOrganization): Decision {
  const { name } = draft.organization;
  if (caller.role !== 'super_admin') return refuse(refusal('FORBIDDEN'));
  if (confirm !== name) return violate('confirm must be the name of the organization');
  // The name itself would outlive the organization.
  draft.put({ kind: 'put-tombstone', nameHash: hash('sha256', name, 'hex'), requestedBy: caller.userId ?? null });
  return { ok: true, status: 200, shown: { kind: 'deletion' } };
}
