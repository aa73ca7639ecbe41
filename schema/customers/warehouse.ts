import * as v from 'valibot';
import { boolean, requiredText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { listQuery, pageView } from '../fields/page-query.ts';
import { shownId, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';
import { locationInput, locationView } from './location.ts';

/** A row of `warehouses`: a place that tasks start from. Moving it makes a new location. */
export interface WarehouseRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  readonly name: string;
  readonly locationId: number;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const createWarehouseInput = named(
  'CreateWarehouseInput',
  v.object(
    {
      name: requiredText(LIMITS.shortTextChars),
      location: locationInput,
      isActive: v.nullish(boolean),
    },
    'the body must be an object',
  ),
);
export type CreateWarehouseInput = v.InferOutput<typeof createWarehouseInput>;

/** The body of PATCH /warehouses/:id: what is absent or null stays. */
export const updateWarehouseInput = named(
  'UpdateWarehouseInput',
  v.object(
    {
      name: v.nullish(requiredText(LIMITS.shortTextChars)),
      location: v.nullish(locationInput),
      isActive: v.nullish(boolean),
    },
    'the body must be an object',
  ),
);
export type UpdateWarehouseInput = v.InferOutput<typeof updateWarehouseInput>;

export const warehouseView = named(
  'Warehouse',
  v.object({
    id: shownId,
    name: v.string(),
    location: locationView,
    isActive: v.boolean(),
    createdAt: shownTime,
    updatedAt: shownTime,
  }),
);

export const warehouseListView = pageView('WarehouseList', warehouseView);

/** The query of GET /warehouses. */
export const listWarehousesQuery = listQuery('warehouses', {});
export type ListWarehousesQuery = v.InferOutput<typeof listWarehousesQuery>;
