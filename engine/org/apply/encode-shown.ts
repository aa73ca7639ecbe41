import { encodeAgent } from '../../views/agent-view.ts';
import { encodeAssignmentRequest } from '../../views/assignment-request-view.ts';
import { encodeCustomer } from '../../views/customer-view.ts';
import { encodePayment } from '../../views/money/payment-view.ts';
import { encodeOrganization } from '../../views/organization-view.ts';
import { encodePackage, encodeTask } from '../../views/task-view.ts';
import { encodeWarehouse } from '../../views/warehouse-view.ts';
import type { Shown } from '../decide/decision.ts';
import type { OrgState } from '../state/org-state.ts';

/** The JSON of a record as memory has it; undefined when there is no such record. */
export function encodeShown(state: OrgState, shown: Shown): string | undefined {
  switch (shown.kind) {
    case 'task': {
      const live = state.findTask(shown.id);
      return live && encodeTask(state.bundleOf(live));
    }
    case 'package': {
      const found = state.findPackage(shown.id);
      return found && encodePackage(found.record);
    }
    case 'customer': {
      const customer = state.findCustomer(shown.id);
      return customer && encodeCustomer(customer);
    }
    case 'warehouse': {
      const facts = state.findWarehouse(shown.id);
      return facts && encodeWarehouse(facts);
    }
    case 'agent': {
      const agent = state.findAgent(shown.id);
      return agent && encodeAgent(agent);
    }
    case 'request': {
      const request = state.findRequest(shown.id);
      return request && encodeAssignmentRequest(request);
    }
    case 'payment': {
      const payment = state.findPayment(shown.id);
      return payment && encodePayment(payment);
    }
    case 'written':
      return shown.json;
    case 'organization':
      return encodeOrganization(state.organization);
    case 'deletion':
      return `{"organizationId":${state.organizationId},"status":"deleting"}`;
    case 'nothing':
      return undefined;
  }
}
