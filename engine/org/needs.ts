import type { Command, CreateTask } from '../../schema/commands.ts';
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
 * Whether the command touches anything that memory does not hold; with `needs`, adds it there. What memory holds is
 * never asked for: it is newer than what Postgres could say.
 */
export function collectNeeds(state: OrgState, command: Command, needs?: RecordNeeds): boolean {
  let missing = false;
  if (command.idempotency) {
    const scopedKey = scopedKeyOf(command.idempotency);
    if (!state.findIdempotency(scopedKey)) {
      needs?.idempotency.set(scopedKey, command.idempotency);
      missing = true;
    }
  }
  switch (command.kind) {
    case 'create-task':
      return needsOfCreate(state, command, needs) || missing;
    case 'change-task-status':
    case 'read-task':
      if (state.hasTask(command.taskId)) return missing;
      needs?.taskIds.add(command.taskId);
      return true;
    case 'wake-up':
      return missing;
  }
}

function needsOfCreate(state: OrgState, { input, caller }: CreateTask, needs?: RecordNeeds): boolean {
  let missing = false;
  const { customer, customerId, locationId, code, preferredAgentId, channelId, packageIds } = input;
  if (customer && !state.findCustomerByPhone(customer.phone.e164)) {
    needs?.phones.add(customer.phone.e164);
    if (customer.email) needs?.emails.add(customer.email.toLowerCase());
    missing = true;
  }
  if (customerId && !state.findCustomer(customerId)) {
    needs?.customerIds.add(customerId);
    missing = true;
  }
  if (locationId && !state.findLocation(locationId)) {
    needs?.locationIds.add(locationId);
    missing = true;
  }
  if (code && !state.findTaskByCode(code)) {
    needs?.codes.add(code);
    missing = true;
  }
  if (preferredAgentId && !state.findAgent(preferredAgentId)) {
    needs?.agentIds.add(preferredAgentId);
    missing = true;
  }
  if (channelId && channelId !== caller.channelId && !state.hasChannel(channelId)) {
    needs?.channelIds.add(channelId);
    missing = true;
  }
  for (const id of packageIds ?? []) {
    if (state.findPackage(id)) continue;
    needs?.packageIds.add(id);
    missing = true;
  }
  return missing;
}
