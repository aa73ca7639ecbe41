import * as v from 'valibot';
import type { Engine } from '../../engine/org/start-engine.ts';
import { LIMITS } from '../../schema/limits.ts';
import { changePackageInput, packageInput, packageView } from '../../schema/tasks/package.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** The packages of tasks. Source: docs/contract.md §3 "Packages". */
export function packageRoutes(engine: Engine): ApiRoute[] {
  return [addPackage(engine), listPackages(engine), changePackage(engine)];
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
    success: { status: 200, data: v.object({ items: v.array(packageView), count: v.number() }) },
    refusals: ['404'],
    async handle({ identity: { organizationId, caller }, params }) {
      const command = { kind: 'read-task', caller, taskId: params.id, show: 'packages' } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Packages');
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
