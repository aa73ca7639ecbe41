import { onlyAgentOf } from '../../engine/domain/tasks/task-machine.ts';
import type { Engine } from '../../engine/org/start-engine.ts';
import { findPackages } from '../../engine/store/records/package-store.ts';
import { encodePackage } from '../../engine/views/task-view.ts';
import { scanInput } from '../../schema/fields/requirements.ts';
import { LIMITS } from '../../schema/limits.ts';
import {
  changePackageInput,
  findPackagesQuery,
  packageInput,
  packageListView,
  packageView,
} from '../../schema/tasks/package.ts';
import { pageAnswer } from '../page-answer.ts';
import type { Reads } from '../reads.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** The packages of tasks. Source: docs/contract.md §3 "Packages". */
export function packageRoutes(engine: Engine, reads: Reads): ApiRoute[] {
  return [
    addPackage(engine),
    listPackages(engine),
    findByBarcode(engine, reads),
    changePackage(engine),
    scanPackage(engine),
  ];
}

function addPackage(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/tasks/:id/packages',
    guard: may('tasks:change'),
    body: { schema: packageInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Add a package to a task in new or awaiting_assignment',
    success: { status: 201, data: packageView },
    refusals: [
      '404',
      '409 TASK_NOT_EDITABLE',
      '409 TOO_MANY_PACKAGES',
      '409 TASK_TOO_LARGE',
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'add-package', caller, taskId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Package added');
    },
  });
}

function listPackages(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/tasks/:id/packages',
    guard: may('tasks:read'),
    etag: true,
    summary: 'List the packages of a task',
    success: { status: 200, data: packageListView },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params }) {
      const command = { kind: 'read-task', caller, taskId: params.id, show: 'packages' } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Packages');
    },
  });
}

function findByBarcode(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/packages',
    guard: may('tasks:read'),
    query: { schema: findPackagesQuery, lists: new Set(['barcode']), uncut: new Set(['barcode']) },
    summary: 'Find packages by their barcodes, newest first; an agent finds those of its own tasks',
    success: { status: 200, data: packageListView },
    refusals: [],
    async handle({ identity: { organizationId, caller }, query }) {
      const page = await reads.run(organizationId, (sql) =>
        findPackages(sql, organizationId, query, onlyAgentOf(caller)),
      );
      return pageAnswer(engine.history, 'Packages', page, encodePackage);
    },
  });
}

function changePackage(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'PATCH',
    path: '/packages/:id',
    guard: may('tasks:step'),
    body: { schema: changePackageInput, maxBytes: LIMITS.bodyBytes },
    etag: true,
    summary: 'Change the status of a package',
    success: { status: 200, data: packageView },
    refusals: [
      '404',
      '409 INVALID_PACKAGE_TRANSITION',
      '409 PACKAGE_DETACHED',
      '412 PRECONDITION_FAILED',
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency, ifMatch }) {
      const packageId = params.id;
      const command = { kind: 'change-package-status', caller, packageId, input, idempotency, ifMatch } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Package updated');
    },
  });
}

function scanPackage(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/tasks/:id/scans',
    guard: may('tasks:step'),
    body: { schema: scanInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Say that the barcode of a package of the task was scanned; once more changes nothing',
    success: { status: 200, data: packageView },
    refusals: ['404', '409 PROOF_NOT_EXPECTED', '409 BARCODE_UNKNOWN', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'scan-package', caller, taskId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Package scanned');
    },
  });
}
