import type { Command, CreateTasks, ReadTask, SingleCommand } from '../../../schema/commands.ts';
import { refusal } from '../../../schema/errors.ts';
import { mayChange } from '../../domain/tasks/task-machine.ts';
import type { RecordNeeds } from '../../store/actor/actor-store.ts';
import type { Draft } from '../state/draft.ts';
import type { OrgState } from '../state/org-state.ts';
import { answerRequestRule } from './assignment/answer-request.ts';
import { assignCouriersRule } from './assignment/assign-couriers.ts';
import { assignTaskRule } from './assignment/assign-task.ts';
import { proposeOffersRule } from './assignment/propose-offers.ts';
import { searchAgentRule } from './assignment/search-agent.ts';
import { unassignTaskRule } from './assignment/unassign-task.ts';
import { type DecideContext, type Decision, refuse } from './decision.ts';
import { amendTaskRule } from './exceptions/amend-task.ts';
import { reassignTaskRule } from './exceptions/reassign-task.ts';
import { reattemptTaskRule } from './exceptions/reattempt-task.ts';
import { demandOfActions, demandOfTasks, type IdDemand, ORDINARY } from './id-demand.ts';
import { payTaskRule } from './money/pay-task.ts';
import { refundPaymentRule } from './money/refund-payment.ts';
import { settlePaymentRule } from './money/settle-payment.ts';
import { topUpWalletRule } from './money/top-up-wallet.ts';
import { NeededRecords, noNeeds } from './needed-records.ts';
import { changeDutyRule } from './records/change-duty.ts';
import { createAgentRule } from './records/create-agent.ts';
import { createCustomerRule } from './records/create-customer.ts';
import { createWarehouseRule } from './records/create-warehouse.ts';
import { deleteOrganizationRule } from './records/delete-organization.ts';
import { putShiftsRule } from './records/put-shifts.ts';
import { updateAgentRule } from './records/update-agent.ts';
import { updateCustomerRule } from './records/update-customer.ts';
import { updateOrganizationRule } from './records/update-organization.ts';
import { updateWarehouseRule } from './records/update-warehouse.ts';
import type { Rule } from './rule.ts';
import { addPackageRule } from './tasks/add-package.ts';
import { changePackageStatusRule } from './tasks/change-package-status.ts';
import { changeTaskStatusRule } from './tasks/change-task-status.ts';
import { createTaskRule } from './tasks/create-task.ts';
import { noteArrivalRule } from './tasks/note-arrival.ts';
import { noteEtaRule } from './tasks/note-eta.ts';
import { noteProofRule } from './tasks/note-proof.ts';
import { pickUpTaskRule } from './tasks/pick-up-task.ts';
import { rateTaskRule } from './tasks/rate-task.ts';
import { scanPackageRule } from './tasks/scan-package.ts';
import { updateTaskRule } from './tasks/update-task.ts';
import { wakeUpRule } from './tasks/wake-up.ts';

/** Every kind of command that one decision answers. A new kind is one file and one line here. */
const RULES = {
  'create-task': createTaskRule,
  'update-task': updateTaskRule,
  'change-task-status': changeTaskStatusRule,
  'pick-up-task': pickUpTaskRule,
  'rate-task': rateTaskRule,
  'add-package': addPackageRule,
  'change-package-status': changePackageStatusRule,
  'note-arrival': noteArrivalRule,
  'note-eta': noteEtaRule,
  'wake-up': wakeUpRule,
  'assign-task': assignTaskRule,
  'unassign-task': unassignTaskRule,
  'search-agent': searchAgentRule,
  'amend-task': amendTaskRule,
  'reassign-task': reassignTaskRule,
  'reattempt-task': reattemptTaskRule,
  'answer-request': answerRequestRule,
  'propose-offers': proposeOffersRule,
  'assign-couriers': assignCouriersRule,
  'create-customer': createCustomerRule,
  'update-customer': updateCustomerRule,
  'create-warehouse': createWarehouseRule,
  'update-warehouse': updateWarehouseRule,
  'create-agent': createAgentRule,
  'update-agent': updateAgentRule,
  'change-duty': changeDutyRule,
  'put-shifts': putShiftsRule,
  'scan-package': scanPackageRule,
  'note-proof': noteProofRule,
  'update-organization': updateOrganizationRule,
  'delete-organization': deleteOrganizationRule,
  'pay-task': payTaskRule,
  'refund-payment': refundPaymentRule,
  'settle-payment': settlePaymentRule,
  'top-up-wallet': topUpWalletRule,
} satisfies { readonly [Kind in SingleCommand['kind']]: Rule<Extract<SingleCommand, { kind: Kind }>> };

/** The rule of a command. Its type follows from the table, in a way that TypeScript cannot see. */
export function ruleOf<C extends SingleCommand>(command: C): Rule<C> {
  return RULES[command.kind] as unknown as Rule<C>;
}

/** Decides by the rule of a command, unless it changes a task that its caller may only see. */
export function decideByRule(draft: Draft, command: SingleCommand, context: DecideContext): Decision {
  return isBeyond(draft, command) ? FORBIDDEN : ruleOf(command).decide(draft, command, context);
}

function isBeyond(draft: Draft, command: SingleCommand): boolean {
  const { task: taskOf, alsoChanges } = ruleOf(command);
  const task = taskOf(draft, command);
  if (!task) return false;
  if (!mayChange(task, command.caller)) return true;
  return alsoChanges(draft, task, command).some((child) => !mayChange(child, command.caller));
}

const FORBIDDEN = refuse(refusal('FORBIDDEN'));

/** The commands that follow rules of their own: one, or the parts of an action. */
function ruledBy(command: Exclude<Command, ReadTask | CreateTasks>): readonly SingleCommand[] {
  return command.kind === 'act-on-tasks' ? command.actions : [command];
}

/** Whether the command reads a record that memory lacks. With `needs`, adds the missing records there. */
export function collectNeeds(state: OrgState, command: Command, needs?: RecordNeeds): boolean {
  const needed = new NeededRecords(state, needs);
  needed.idempotency(command.idempotency);
  if (command.kind === 'read-task') needed.task(command.taskId);
  else if (command.kind === 'create-tasks') needed.newTasks(command);
  else for (const one of ruledBy(command)) ruleOf(one).needs(needed, one);
  return needed.missing;
}

/** The records that these commands read and memory lacks, with the next page of books that are read by and by; undefined when it lacks nothing. */
export function needsOf(state: OrgState, commands: readonly { readonly command: Command }[]): RecordNeeds | undefined {
  const needs = noNeeds();
  let isMissing = false;
  for (const { command } of commands) isMissing = collectNeeds(state, command, needs) || isMissing;
  if (!isMissing) return undefined;
  if (needs.phones.size > 0) needs.contacts = state.wantsContacts();
  if (needs.idempotency.size > 0) needs.keysBehind = state.keys.nextPage();
  if (needs.codes.size > 0) needs.codesBehind = state.codes.nextPage();
  return needs;
}

/** Whether the command rests on accounts or loads that were not fetched: the task had another agent then. */
export function lacksRecordsOfAgent(state: OrgState, command: Command): boolean {
  if (command.kind === 'read-task' || command.kind === 'create-tasks') return false;
  if (!ruledBy(command).some((one) => ruleOf(one).followsAgent)) return false;
  const needs = noNeeds();
  collectNeeds(state, command, needs);
  return needs.accountOwners.size + needs.loadedAgentIds.size > 0;
}

/** The largest number of ids that the decision may take. */
export function idDemandOf(command: Command): IdDemand {
  if (command.kind === 'read-task') return ORDINARY;
  if (command.kind === 'act-on-tasks') return demandOfActions(command.actions);
  if (command.kind !== 'create-tasks') return ruleOf(command).ids(command);
  return demandOfTasks(command.items.flatMap((item) => ('input' in item ? item.input : [])));
}
