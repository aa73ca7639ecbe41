import type { LocationRecord } from '../../schema/customers/location.ts';
import { type WarehouseRecord, warehouseView } from '../../schema/customers/warehouse.ts';
import { compileSerializer } from './parts/serializer.ts';
import { locationViewOf } from './task-view.ts';

const serializeWarehouse = compileSerializer(warehouseView);

/** Returns the JSON of a warehouse with its location: the same bytes in responses and lists. */
export function encodeWarehouse(facts: {
  readonly warehouse: WarehouseRecord;
  readonly location: LocationRecord;
}): string {
  const { id, name, isActive, createdAt, updatedAt } = facts.warehouse;
  return serializeWarehouse({ id, name, location: locationViewOf(facts.location), isActive, createdAt, updatedAt });
}
