import type { RecordAuditQuery } from '../../schema/accounts/audit.ts';
import type { ListRequestsQuery } from '../../schema/assignment/assignment.ts';
import type { ListCustomersQuery } from '../../schema/customers/customer.ts';
import type { ListWarehousesQuery } from '../../schema/customers/warehouse.ts';
import type { ListAgentsQuery } from '../../schema/fleet/agent.ts';
import type { StatementQuery } from '../../schema/money/ledger.ts';
import type { ListPaymentsQuery } from '../../schema/money/payment.ts';
import { type Actor, maySee, onlyAgentOf } from '../domain/tasks/task-machine.ts';
import { isReachable } from '../store/cluster/platform-store.ts';
import {
  type BalancesDetail,
  listStatement,
  readBalances,
  type StatementPage,
} from '../store/payments/ledger-store.ts';
import { listPayments, type PaymentDetail, type PaymentPage, readPayment } from '../store/payments/payment-store.ts';
import type { Sql } from '../store/postgres.ts';
import { type AgentSchedule, readAgentSchedule } from '../store/records/agent-schedule-store.ts';
import { type AgentDetail, type AgentPage, listAgents, readAgent } from '../store/records/agent-store.ts';
import {
  type AssignmentRequestDetail,
  type AssignmentRequestPage,
  listAssignmentRequests,
  readAssignmentRequest,
} from '../store/records/assignment-request-store.ts';
import { type AuditPage, listRecordAudit } from '../store/records/audit-store.ts';
import {
  type CustomerDetail,
  type CustomerPage,
  listCustomers,
  readCustomer,
} from '../store/records/customer-store.ts';
import { readTaskHistory, type TaskHistoryPage } from '../store/records/task-history-store.ts';
import {
  listWarehouses,
  readWarehouse,
  type WarehouseDetail,
  type WarehousePage,
} from '../store/records/warehouse-store.ts';

/** Reads straight from Postgres, which has every acknowledged change. An unknown id gives undefined. */
export interface CommittedReads {
  /** As the caller may see it: agents see their own tasks only. */
  readTaskHistory(organizationId: number, taskId: number, caller: Actor): Promise<TaskHistoryPage | undefined>;
  listCustomers(organizationId: number, query: ListCustomersQuery): Promise<CustomerPage>;
  readCustomer(organizationId: number, customerId: number): Promise<CustomerDetail | undefined>;
  /** As the caller may see them: an agent finds itself alone. */
  listAgents(organizationId: number, query: ListAgentsQuery, caller: Actor): Promise<AgentPage>;
  readAgent(organizationId: number, agentId: number, caller: Actor): Promise<AgentDetail | undefined>;
  readAgentSchedule(organizationId: number, agentId: number, caller: Actor): Promise<AgentSchedule | undefined>;
  /** As the caller may see them: an agent finds what it was asked itself. */
  listAssignmentRequests(
    organizationId: number,
    query: ListRequestsQuery,
    caller: Actor,
  ): Promise<AssignmentRequestPage>;
  readAssignmentRequest(
    organizationId: number,
    requestId: number,
    caller: Actor,
  ): Promise<AssignmentRequestDetail | undefined>;
  listWarehouses(organizationId: number, query: ListWarehousesQuery): Promise<WarehousePage>;
  readWarehouse(organizationId: number, warehouseId: number): Promise<WarehouseDetail | undefined>;
  listPayments(organizationId: number, query: ListPaymentsQuery): Promise<PaymentPage>;
  readPayment(organizationId: number, paymentId: number): Promise<PaymentDetail | undefined>;
  listPaymentAudit(organizationId: number, paymentId: number, query: RecordAuditQuery): Promise<AuditPage | undefined>;
  readWallet(organizationId: number, customerId: number): Promise<BalancesDetail | undefined>;
  listStatement(organizationId: number, customerId: number, query: StatementQuery): Promise<StatementPage | undefined>;
  /** As the caller may see it: an agent finds its own alone. */
  readAgentCash(organizationId: number, agentId: number, caller: Actor): Promise<BalancesDetail | undefined>;
  /** Postgres answers now. */
  isReachable(deadlineMs: number): Promise<boolean>;
}

export function createCommittedReads(sql: Sql): CommittedReads {
  return {
    readTaskHistory: (organizationId, taskId, caller) =>
      readTaskHistory(sql, organizationId, taskId, onlyAgentOf(caller)),
    listCustomers: (organizationId, query) => listCustomers(sql, organizationId, query),
    readCustomer: (organizationId, customerId) => readCustomer(sql, organizationId, customerId),
    listAgents: (organizationId, query, caller) => listAgents(sql, organizationId, query, onlyAgentOf(caller)),
    async readAgent(organizationId, agentId, caller) {
      return maySee({ agentId }, caller) ? readAgent(sql, organizationId, agentId) : undefined;
    },
    async readAgentSchedule(organizationId, agentId, caller) {
      return maySee({ agentId }, caller) ? readAgentSchedule(sql, organizationId, agentId) : undefined;
    },
    listAssignmentRequests: (organizationId, query, caller) =>
      listAssignmentRequests(sql, organizationId, query, onlyAgentOf(caller)),
    readAssignmentRequest: (organizationId, requestId, caller) =>
      readAssignmentRequest(sql, organizationId, requestId, onlyAgentOf(caller)),
    listWarehouses: (organizationId, query) => listWarehouses(sql, organizationId, query),
    readWarehouse: (organizationId, warehouseId) => readWarehouse(sql, organizationId, warehouseId),
    listPayments: (organizationId, query) => listPayments(sql, organizationId, query),
    readPayment: (organizationId, paymentId) => readPayment(sql, organizationId, paymentId),
    listPaymentAudit: (organizationId, paymentId, query) =>
      listRecordAudit(sql, organizationId, 'payment', paymentId, query),
    readWallet: (organizationId, customerId) => readBalances(sql, organizationId, 'wallet', customerId),
    listStatement: (organizationId, customerId, query) => listStatement(sql, organizationId, customerId, query),
    async readAgentCash(organizationId, agentId, caller) {
      return maySee({ agentId }, caller) ? readBalances(sql, organizationId, 'agent_cash', agentId) : undefined;
    },
    isReachable: (deadlineMs) => isReachable(sql, deadlineMs),
  };
}
