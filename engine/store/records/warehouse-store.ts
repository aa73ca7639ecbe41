import type { LocationRecord } from '../../../schema/customers/location.ts';
import type { ListWarehousesQuery, WarehouseRecord } from '../../../schema/customers/warehouse.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type Listed, type ListPage, listPart, listPlace, pageOf } from '../list-page.ts';
import type { Sql } from '../postgres.ts';
import { LOCATION, WAREHOUSE } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';

export interface WarehouseWithLocation {
  readonly warehouse: WarehouseRecord;
  readonly location: LocationRecord;
}

export interface WarehouseDetail extends WarehouseWithLocation {
  /** Sequence of the organization's log at which it was true. */
  readonly sequence: number;
}

export interface WarehouseRow {
  readonly warehouse: readonly unknown[];
  readonly location: readonly unknown[];
}

/** A warehouse `w` with its place `l`. */
export const WAREHOUSE_COLUMNS = `${WAREHOUSE.json('w')} AS warehouse, ${LOCATION.json('l')} AS location`;

export function warehouseOfRow({ warehouse, location }: WarehouseRow): WarehouseWithLocation {
  return { warehouse: WAREHOUSE.ofJson(warehouse), location: LOCATION.ofJson(location) };
}

/** A page of warehouses, newest first. They are few: counting them is cheap. */
export async function listWarehouses(
  sql: Sql,
  organizationId: number,
  { part }: ListWarehousesQuery,
): Promise<ListPage<WarehouseWithLocation>> {
  const query = () => sql<Listed<WarehouseRow>[]>`
    SELECT h.last_sequence AS sequence, b.warehouse, b.location, ${sql.unsafe(listPlace())},
      (SELECT count(*) FROM warehouses w WHERE w.organization_id = ${organizationId}) AS count
    FROM organization_heads h LEFT JOIN (
      SELECT w.created_at, w.id, ${sql.unsafe(WAREHOUSE_COLUMNS)}
      FROM warehouses w JOIN locations l ON l.organization_id = w.organization_id AND l.id = w.location_id
      WHERE w.organization_id = ${organizationId}
        ${listPart(sql, part, 'w')}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY b.created_at DESC, b.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing warehouses');
  return pageOf(rows, part, warehouseOfRow);
}

/** A warehouse with its place; undefined when there is none. */
export async function readWarehouse(
  sql: Sql,
  organizationId: number,
  warehouseId: number,
): Promise<WarehouseDetail | undefined> {
  const query = () => sql<(WarehouseRow & { sequence: number })[]>`
    SELECT h.last_sequence AS sequence, ${sql.unsafe(WAREHOUSE_COLUMNS)}
    FROM warehouses w JOIN organization_heads h ON h.organization_id = w.organization_id
    JOIN locations l ON l.organization_id = w.organization_id AND l.id = w.location_id
    WHERE w.organization_id = ${organizationId} AND w.id = ${warehouseId}`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading a warehouse');
  return row && { ...warehouseOfRow(row), sequence: row.sequence };
}
