import type { Engine } from '../../engine/org/start-engine.ts';
import {
  readWarehouse as readWarehouseDetail,
  listWarehouses as readWarehousePage,
} from '../../engine/store/records/warehouse-store.ts';
import { encodeWarehouse } from '../../engine/views/warehouse-view.ts';
import {
  createWarehouseInput,
  listWarehousesQuery,
  updateWarehouseInput,
  warehouseListView,
  warehouseView,
} from '../../schema/customers/warehouse.ts';
import { notFound } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import { pageAnswer } from '../page-answer.ts';
import type { Reads } from '../reads.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** Warehouses: places that tasks start from. Source: docs/contract.md §3. */
export function warehouseRoutes(engine: Engine, reads: Reads): ApiRoute[] {
  return [
    createWarehouse(engine),
    listWarehouses(engine, reads),
    readWarehouse(engine, reads),
    updateWarehouse(engine),
  ];
}

function createWarehouse(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/warehouses',
    guard: may('warehouses'),
    body: { schema: createWarehouseInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Create a warehouse',
    success: { status: 201, data: warehouseView },
    refusals: ['403 PACKAGE_LIMIT_EXCEEDED', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, body: input, idempotency }) {
      const answer = await engine.ask(organizationId, { kind: 'create-warehouse', caller, input, idempotency });
      return engineAnswer(engine, answer, 'Warehouse created');
    },
  });
}

function listWarehouses(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/warehouses',
    guard: may('warehouses'),
    query: { schema: listWarehousesQuery, lists: new Set() },
    summary: 'List warehouses, newest first',
    success: { status: 200, data: warehouseListView },
    refusals: [],
    async handle({ identity: { organizationId }, query }) {
      const page = await reads.run(organizationId, (sql) => readWarehousePage(sql, organizationId, query));
      return pageAnswer(engine.history, 'Warehouses', page, encodeWarehouse);
    },
  });
}

function readWarehouse(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/warehouses/:id',
    guard: may('warehouses'),
    etag: true,
    summary: 'Read a warehouse',
    success: { status: 200, data: warehouseView },
    refusals: ['404'],
    async handle({ identity: { organizationId }, params }) {
      const warehouseId = params.id;
      const found = await reads.run(organizationId, (sql) => readWarehouseDetail(sql, organizationId, warehouseId));
      if (!found) return { refusal: notFound('Warehouse', warehouseId) };
      const position = formatPosition(engine.history, found.sequence);
      return { status: 200, message: 'Warehouse', data: encodeWarehouse(found), position };
    },
  });
}

function updateWarehouse(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'PATCH',
    path: '/warehouses/:id',
    guard: may('warehouses'),
    body: { schema: updateWarehouseInput, maxBytes: LIMITS.bodyBytes },
    etag: true,
    summary: 'Change a warehouse: only the fields that are sent; tasks keep the place that they were given',
    success: { status: 200, data: warehouseView },
    refusals: ['404', '412 PRECONDITION_FAILED', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency, ifMatch }) {
      const warehouseId = params.id;
      const command = { kind: 'update-warehouse', caller, warehouseId, input, idempotency, ifMatch } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Warehouse updated');
    },
  });
}
