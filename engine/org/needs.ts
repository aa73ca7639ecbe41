import type { Command } from '../../schema/commands.ts';
import type { RecordNeeds } from '../store/org-store.ts';
import { type OrgState, scopedKeyOf } from './org-state.ts';

export function noNeeds(): RecordNeeds {
  return {
    taskIds: new Set(),
    codes: new Set(),
    customerIds: new Set(),
    phones: new Set(),
    emails: new Set(),
    locationIds: new Set(),
    channelIds: new Set(),
    agentIds: new Set(),
    packageIds: new Set(),
    idempotency: new Map(),
  };
}

/**
 * Adds to `needs` what the command touches and memory does not hold. Returns whether that is anything.
 * What memory holds is never asked for: it is newer than what Postgres could say.
 */
export function collectNeeds(state: OrgState, command: Command, needs: RecordNeeds): boolean {
  let missing = false;
  const need = <T>(set: Set<T>, value: T | null | undefined, known: (value: T) => unknown) => {
    if (value === null || value === undefined || known(value)) return;
    set.add(value);
    missing = true;
  };
  if (command.idempotency) {
    const scopedKey = scopedKeyOf(command.idempotency);
    if (!state.findIdempotency(scopedKey)) {
      needs.idempotency.set(scopedKey, command.idempotency);
      missing = true;
    }
  }
  switch (command.kind) {
    case 'create-task': {
      const { input, caller } = command;
      need(needs.customerIds, input.customerId, (id) => state.findCustomer(id));
      need(needs.locationIds, input.locationId, (id) => state.findLocation(id));
      need(needs.codes, input.code, (code) => state.findTaskByCode(code));
      need(needs.agentIds, input.preferredAgentId, (id) => state.findAgent(id));
      need(needs.channelIds, input.channelId, (id) => id === caller.channelId || state.hasChannel(id));
      for (const id of input.packageIds ?? []) need(needs.packageIds, id, (wanted) => state.findPackage(wanted));
      if (input.customer && !state.findCustomerByPhone(input.customer.phone.e164)) {
        needs.phones.add(input.customer.phone.e164);
        if (input.customer.email) needs.emails.add(input.customer.email.toLowerCase());
        missing = true;
      }
      break;
    }
    case 'change-task-status':
    case 'read-task':
      need(needs.taskIds, command.taskId, (id) => state.hasTask(id));
      break;
    case 'wake-up':
      break;
  }
  return missing;
}
