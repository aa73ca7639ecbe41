import * as v from 'valibot';
import type { BatchItem, Caller, Command } from '../../../../schema/commands.ts';
import { createCustomerInput, updateCustomerInput } from '../../../../schema/customers/customer.ts';
import { createWarehouseInput, updateWarehouseInput } from '../../../../schema/customers/warehouse.ts';
import { type IdempotencyKey, idempotencyKey } from '../../../../schema/fields/idempotency-key.ts';
import { changeStatusInput } from '../../../../schema/tasks/change-status.ts';
import { createTaskSchema } from '../../../../schema/tasks/create-task.ts';
import { changePackageInput, packageInput } from '../../../../schema/tasks/package.ts';
import { updateTaskSchema } from '../../../../schema/tasks/update-task.ts';
import type { Sent, TaskBody } from './request.ts';

export interface Callers {
  readonly dispatcher: Caller;
  readonly agent: Caller;
}

/** The command that the gateway would make of a request. */
export function toCommand(sent: Sent, { dispatcher, agent }: Callers): Command {
  const { key, ...request } = sent;
  const base = { caller: dispatcher, idempotency: key === undefined ? undefined : keyOf('request', key, request) };
  const taskInput = createTaskSchema({ cash: true });
  switch (sent.kind) {
    case 'create':
      return { ...base, kind: 'create-task', input: v.parse(taskInput, sent.body) };
    case 'batch': {
      const itemOf = (body: TaskBody): BatchItem => ({
        input: v.parse(taskInput, body),
        ...(body.idempotencyKey ? { idempotency: keyOf('item', body.idempotencyKey, body) } : {}),
      });
      const facts = { correlationId: 'a', canonicalPath: '/v1/tasks/batch', method: 'POST' };
      return { ...base, kind: 'create-tasks', atomic: sent.atomic, items: sent.items.map(itemOf), facts };
    }
    case 'update':
      return { ...base, kind: 'update-task', taskId: sent.id, input: v.parse(updateTaskSchema(), sent.body) };
    case 'status': {
      const caller = sent.asAgent ? agent : dispatcher;
      return {
        ...base,
        caller,
        kind: 'change-task-status',
        taskId: sent.id,
        input: v.parse(changeStatusInput, sent.body),
      };
    }
    case 'add-package':
      return { ...base, kind: 'add-package', taskId: sent.id, input: v.parse(packageInput, sent.body) };
    case 'package-status': {
      const input = v.parse(changePackageInput, sent.body);
      return { ...base, kind: 'change-package-status', packageId: sent.id, input };
    }
    case 'create-customer':
      return { ...base, kind: 'create-customer', input: v.parse(createCustomerInput, sent.body) };
    case 'update-customer':
      return { ...base, kind: 'update-customer', customerId: sent.id, input: v.parse(updateCustomerInput, sent.body) };
    case 'create-warehouse':
      return { ...base, kind: 'create-warehouse', input: v.parse(createWarehouseInput, sent.body) };
    case 'update-warehouse': {
      const input = v.parse(updateWarehouseInput, sent.body);
      return { ...base, kind: 'update-warehouse', warehouseId: sent.id, input };
    }
  }
}

function keyOf(scope: string, key: string, body: object): IdempotencyKey {
  return idempotencyKey(scope, key, JSON.stringify(body));
}
