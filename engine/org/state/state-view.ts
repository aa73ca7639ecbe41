import type { OrganizationRecord } from '../../../schema/accounts/organization.ts';
import type { AssignmentRequestRecord } from '../../../schema/assignment/assignment.ts';
import type { CustomerRecord } from '../../../schema/customers/customer.ts';
import type { LocationRecord } from '../../../schema/customers/location.ts';
import type { AgentRecord } from '../../../schema/fleet/agent.ts';
import type { AccountBalance, AccountOwner } from '../../../schema/money/ledger.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import type { PackageRecord } from '../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import type { WarehouseWithLocation } from '../../store/records/warehouse-store.ts';
import type { HeldTask } from './agent-loads.ts';

/** A task with the records that belong to it alone. Customers and agents are shared and kept apart. */
export interface TaskFacts {
  readonly task: TaskRecord;
  readonly location: LocationRecord | null;
  readonly pickupLocation: LocationRecord | null;
  readonly packages: readonly PackageRecord[];
}

/** An organization as a decision sees it: memory, or memory with what has been drafted on top. */
export interface StateView {
  readonly organizationId: number;
  readonly organization: OrganizationRecord;
  readonly openTasks: number;
  /** Those whose steps write no index entry. */
  readonly movingTasks: number;
  findTask(id: number): TaskFacts | undefined;
  hasTaskCode(code: string): boolean;
  findCustomer(id: number): CustomerRecord | undefined;
  findCustomerByPhone(phoneE164: string): CustomerRecord | undefined;
  /** A customer without a phone of its own who has this e-mail address. */
  findPhonelessCustomer(email: string): CustomerRecord | undefined;
  findLocation(id: number): LocationRecord | undefined;
  findWarehouse(id: number): WarehouseWithLocation | undefined;
  findAgent(id: number): AgentRecord | undefined;
  /** Whether a user of any organization has this address. Known only for requested addresses. */
  isEmailTaken(email: string): boolean;
  /** The open tasks of an agent. Known only for requested agents. */
  heldBy(agentId: number): readonly HeldTask[];
  /** The requests that an agent has not answered. Known only for requested agents. */
  openRequestsOf(agentId: number): AssignmentRequestRecord[];
  findRequest(id: number): AssignmentRequestRecord | undefined;
  findPayment(id: number): PaymentRecord | undefined;
  /** Undefined where nothing was ever written to it. Known only of owners that were asked for. */
  findBalance(owner: AccountOwner, currency: string): AccountBalance | undefined;
  hasChannel(id: number): boolean;
  /** A package with the task it is attached to, if any. */
  findPackage(id: number): { readonly record: PackageRecord; readonly owner: TaskRecord | null } | undefined;
  usedOf(resource: string, period: string): number;
}
