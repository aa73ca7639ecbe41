import type { CreateWarehouse } from '../../../../schema/commands.ts';
import { checkQuota, quotaPeriod } from '../../../domain/quota.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { needsNothing, rule } from '../rule.ts';
import { draftLocation } from '../steps/new-location.ts';

export const createWarehouseRule = rule<CreateWarehouse>({
  needs: needsNothing,
  decide: decideCreateWarehouse,
});

/** POST /warehouses. Refuses 403 PACKAGE_LIMIT_EXCEEDED. */
function decideCreateWarehouse(draft: Draft, { input }: CreateWarehouse, context: DecideContext): Decision {
  const { now } = context;
  const period = quotaPeriod('warehouses', now);
  const used = draft.usedOf('warehouses', period);
  const overQuota = checkQuota('warehouses', draft.organization.limits.warehouses, used, 1, now);
  if (overQuota) return refuse(overQuota);
  const location = draftLocation(draft, input.location, null, context)!;
  const warehouse = {
    organizationId: draft.organizationId,
    id: context.nextId('warehouse'),
    version: 1,
    name: input.name,
    locationId: location.id,
    isActive: input.isActive ?? true,
    createdAt: now,
    updatedAt: now,
  };
  draft.put({ kind: 'put-warehouse', facts: { warehouse, location } });
  draft.put({ kind: 'count-usage', resource: 'warehouses', period, used: used + 1 });
  return done('warehouse', warehouse.id, 201);
}
