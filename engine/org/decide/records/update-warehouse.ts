import type { UpdateWarehouse } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { rule } from '../rule.ts';
import { draftLocation, isAt } from '../steps/new-location.ts';

export const updateWarehouseRule = rule<UpdateWarehouse>({
  needs: (needed, { warehouseId }) => needed.warehouse(warehouseId),
  target: ({ warehouseId }) => ({ kind: 'warehouse', id: warehouseId }),
  decide: decideUpdateWarehouse,
});

/**
 * PATCH /warehouses/:id. Moving it makes a new location: tasks that start from the old one keep it. A field with its
 * present value changes nothing. Refuses 404.
 */
function decideUpdateWarehouse(draft: Draft, command: UpdateWarehouse, context: DecideContext): Decision {
  const { warehouseId, input } = command;
  const facts = draft.findWarehouse(warehouseId);
  if (!facts) return refuse(notFound('Warehouse', warehouseId));
  const { warehouse: before } = facts;
  const name = input.name ?? before.name;
  const isActive = input.isActive ?? before.isActive;
  const hasMoved = input.location && !isAt(facts.location, input.location);
  if (name === before.name && isActive === before.isActive && !hasMoved) return done('warehouse', warehouseId);
  const location = hasMoved ? draftLocation(draft, input.location, null, context)! : facts.location;
  const warehouse = {
    ...before,
    name,
    isActive,
    locationId: location.id,
    version: before.version + 1,
    updatedAt: context.now,
  };
  draft.put({ kind: 'put-warehouse', facts: { warehouse, location } });
  return done('warehouse', warehouseId);
}
