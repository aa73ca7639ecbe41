import type { UpdateOrganizationInput } from './accounts/organization.ts';
import type { CallerRole } from './accounts/role.ts';
import type { AssignTaskInput, UnassignTaskInput } from './assignment/assign-task.ts';
import type { CourierRecord } from './assignment/courier.ts';
import type { LackingTask, ProposedOffer } from './assignment/proposed-offer.ts';
import type { CreateCustomerInput, UpdateCustomerInput } from './customers/customer.ts';
import type { CreateWarehouseInput, UpdateWarehouseInput } from './customers/warehouse.ts';
import type { Refusal } from './errors.ts';
import type { AmendTaskInput } from './exceptions/amend-task.ts';
import type { ReassignTaskInput } from './exceptions/reassign-task.ts';
import type { ReattemptTaskInput } from './exceptions/reattempt-task.ts';
import type { IdempotencyKey } from './fields/idempotency-key.ts';
import type { ScanInput } from './fields/requirements.ts';
import type { ChangeDutyInput, CreateAgentInput, UpdateAgentInput } from './fleet/agent.ts';
import type { PutShiftsInput } from './fleet/shift.ts';
import type { TopUpInput } from './money/ledger.ts';
import type { PayTaskInput, ProviderName, ProviderReport, RefundPaymentInput } from './money/payment.ts';
import type { ChangeStatusInput, PickUpInput } from './tasks/change-status.ts';
import type { CreateTaskInput } from './tasks/create-task.ts';
import type { ChangePackageInput, PackageInput } from './tasks/package.ts';
import type { ProofKind } from './tasks/proof.ts';
import type { RateTaskInput } from './tasks/rating.ts';
import type { StopPlace } from './tasks/task.ts';
import type { UpdateTaskInput } from './tasks/update-task.ts';

/** The caller of a command. Rules take it as input; history and events name it. */
export interface Caller {
  readonly type: 'channel' | 'user' | 'system';
  readonly id: number | null;
  /** The channel that a task is made for when the request names none. */
  readonly channelId: number;
  readonly role: CallerRole;
  /** The agent that the caller is, if any: agents see and change their own records only. */
  readonly agentId: number | null;
  /** The account behind a channel or a session. */
  readonly userId?: number | null;
  /** Which request it was and where it came from, for the audit log; the system's own steps have none. */
  readonly origin?: Origin | undefined;
}

export interface Origin {
  readonly correlationId: string;
  /** The client's address, as far as trusted proxies tell; null when it is not known. */
  readonly address: string | null;
}

/** The facts of a request that every body repeats. */
export interface RequestFacts {
  readonly correlationId: string;
  /** `/v1/…` with the raw query. */
  readonly canonicalPath: string;
  readonly method: string;
}

interface CommandBase {
  readonly caller: Caller;
  readonly idempotency?: IdempotencyKey | undefined;
}

/** A change of something that exists. `ifMatch`: entity tags, one of which it must still have (412 otherwise). */
interface UpdateBase extends CommandBase {
  readonly ifMatch?: readonly string[] | undefined;
}

export interface CreateTask extends CommandBase {
  readonly kind: 'create-task';
  readonly input: CreateTaskInput;
}

/** One of many: what to create, or the finished error body of what cannot even be asked for. */
export type BatchItem =
  | { readonly input: CreateTaskInput; readonly idempotency?: IdempotencyKey | undefined }
  | { readonly errorBody: string };

export interface CreateTasks extends CommandBase {
  readonly kind: 'create-tasks';
  readonly items: readonly BatchItem[];
  /** Every item or none. */
  readonly atomic: boolean;
  /** The facts of the request in the error bodies of items. */
  readonly facts: RequestFacts;
}

export interface UpdateTask extends UpdateBase {
  readonly kind: 'update-task';
  readonly taskId: number;
  readonly input: UpdateTaskInput;
}

export interface ChangeTaskStatus extends CommandBase {
  readonly kind: 'change-task-status';
  readonly taskId: number;
  readonly input: ChangeStatusInput;
}

export interface ReadTask extends CommandBase {
  readonly kind: 'read-task';
  readonly taskId: number;
  /** The task, the list of its packages, or what its tracking link rests on. */
  readonly show: 'task' | 'packages' | 'tracking';
}

/** The customer's rating of a completed task. */
/** The courier has the goods of a task. */
export interface PickUpTask extends CommandBase {
  readonly kind: 'pick-up-task';
  readonly taskId: number;
  readonly input: PickUpInput;
}

export interface RateTask extends CommandBase {
  readonly kind: 'rate-task';
  readonly taskId: number;
  readonly input: RateTaskInput;
}

export interface AddPackage extends CommandBase {
  readonly kind: 'add-package';
  readonly taskId: number;
  readonly input: PackageInput;
}

export interface ChangePackageStatus extends UpdateBase {
  readonly kind: 'change-package-status';
  readonly packageId: number;
  readonly input: ChangePackageInput;
}

export interface CreateCustomer extends CommandBase {
  readonly kind: 'create-customer';
  readonly input: CreateCustomerInput;
}

export interface UpdateCustomer extends CommandBase {
  readonly kind: 'update-customer';
  readonly customerId: number;
  /** The version that If-Match was found to name (412 otherwise): the entity tag covers more than the record. */
  readonly expectedVersion?: number | undefined;
  readonly input: UpdateCustomerInput;
}

export interface CreateWarehouse extends CommandBase {
  readonly kind: 'create-warehouse';
  readonly input: CreateWarehouseInput;
}

export interface UpdateWarehouse extends UpdateBase {
  readonly kind: 'update-warehouse';
  readonly warehouseId: number;
  readonly input: UpdateWarehouseInput;
}

/** `passwordHash`: null for an agent who is to set a password. */
export interface CreateAgent extends CommandBase {
  readonly kind: 'create-agent';
  readonly input: Omit<CreateAgentInput, 'password'>;
  readonly passwordHash: string | null;
}

export interface UpdateAgent extends UpdateBase {
  readonly kind: 'update-agent';
  readonly agentId: number;
  readonly input: UpdateAgentInput;
}

export interface ChangeDuty extends CommandBase {
  readonly kind: 'change-duty';
  readonly agentId: number;
  readonly input: ChangeDutyInput;
}

export interface ScanPackage extends CommandBase {
  readonly kind: 'scan-package';
  readonly taskId: number;
  readonly input: ScanInput;
}

/** A proof of a task is stored, whose file no actor keeps. */
export interface NoteProof extends CommandBase {
  readonly kind: 'note-proof';
  readonly taskId: number;
  readonly proof: ProofKind;
}

export interface PutShifts extends CommandBase {
  readonly kind: 'put-shifts';
  readonly agentId: number;
  readonly input: PutShiftsInput;
}

export interface AssignTask extends CommandBase {
  readonly kind: 'assign-task';
  readonly taskId: number;
  readonly input: AssignTaskInput;
}

export interface UnassignTask extends CommandBase {
  readonly kind: 'unassign-task';
  readonly taskId: number;
  readonly input: UnassignTaskInput;
}

export interface UpdateOrganization extends UpdateBase {
  readonly kind: 'update-organization';
  readonly input: UpdateOrganizationInput;
}

/** Starts a search for an agent, for the first time or again. */
export interface SearchAgent extends CommandBase {
  readonly kind: 'search-agent';
  readonly taskId: number;
}

/** The answer of an agent, or of staff for it: `agentId` of the caller decides whose requests it sees. */
export interface AnswerRequest extends CommandBase {
  readonly kind: 'answer-request';
  readonly requestId: number;
  readonly answer: 'accept' | 'reject';
  readonly reason?: string | null;
}

/** The result of a planning round: proposals, each of which is judged by the facts at its arrival. */
export interface ProposeOffers extends CommandBase {
  readonly kind: 'propose-offers';
  readonly offers: readonly ProposedOffer[];
  /** Tasks for which nobody was found now. */
  readonly lacking: readonly LackingTask[];
}

/** Tasks that external couriers take: each counts if its task still looks for somebody and the vehicle carries it. */
export interface AssignCouriers extends CommandBase {
  readonly kind: 'assign-couriers';
  readonly assignments: readonly { readonly taskId: number; readonly courier: CourierRecord }[];
}

/** Changes an open task, also while an agent has it. */
export interface AmendTask extends CommandBase {
  readonly kind: 'amend-task';
  readonly taskId: number;
  readonly input: AmendTaskInput;
}

/** Gives a task from one courier to an agent. */
export interface ReassignTask extends CommandBase {
  readonly kind: 'reassign-task';
  readonly taskId: number;
  readonly input: ReassignTaskInput;
}

/** Carries out the order of a failed task once more, by a new task. */
export interface ReattemptTask extends CommandBase {
  readonly kind: 'reattempt-task';
  readonly taskId: number;
  readonly input: ReattemptTaskInput;
}

/** One of many: the command of its single call. */
export type TaskAction = AssignTask | UnassignTask | SearchAgent | ChangeTaskStatus | AmendTask;

/** Many tasks at once, each as by its single call. */
export interface ActOnTasks extends CommandBase {
  readonly kind: 'act-on-tasks';
  readonly actions: readonly TaskAction[];
  /** The facts of the request in the error bodies of items. */
  readonly facts: RequestFacts;
}

/** A payment for a task. `provider`: who carries out an online one. */
export type PayTask = CommandBase & { readonly kind: 'pay-task'; readonly input: PayTaskInput } & (
    | { readonly method: 'cash' | 'wallet' }
    | { readonly method: 'online'; readonly provider: ProviderName }
  );

export interface RefundPayment extends CommandBase {
  readonly kind: 'refund-payment';
  readonly paymentId: number;
  readonly input: RefundPaymentInput;
}

/** The provider's report. A known report, and one that no longer matters, get the same answer. */
export interface SettlePayment extends CommandBase {
  readonly kind: 'settle-payment';
  readonly paymentId: number;
  /** The mark in the provider's record, where there is one: with another than the payment's, it is about another payment. */
  readonly mark?: string;
  readonly report: ProviderReport;
}

export interface TopUpWallet extends CommandBase {
  readonly kind: 'top-up-wallet';
  readonly customerId: number;
  readonly input: TopUpInput;
}

/** Ends the organization for good. `confirm` must be its name. */
export interface DeleteOrganization extends CommandBase {
  readonly kind: 'delete-organization';
  readonly confirm: string;
}

/** The organization's timers are due. */
export interface WakeUp extends CommandBase {
  readonly kind: 'wake-up';
}

/** The agent of a task was seen at its place. Answered alike when that is known already, or no longer matters. */
export interface NoteArrival extends CommandBase {
  readonly kind: 'note-arrival';
  readonly taskId: number;
  readonly agentId: number;
  /** Which of its places. */
  readonly place: StopPlace;
  /** ISO time of the position that follows, by the clock of the device. */
  readonly at: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** When the agent of a task is now expected at its places. Answered alike when that tells nothing new. */
export interface NoteEta extends CommandBase {
  readonly kind: 'note-eta';
  readonly taskId: number;
  readonly agentId: number;
  /** ISO time; null where the task leads nowhere in particular. */
  readonly etaAt: string | null;
  /** The same for the pickup; null when nothing is to be fetched any more. */
  readonly pickupEtaAt: string | null;
}

/** Commands that one decision answers. */
export type SingleCommand =
  | CreateTask
  | UpdateTask
  | ChangeTaskStatus
  | PickUpTask
  | RateTask
  | AddPackage
  | ChangePackageStatus
  | CreateCustomer
  | UpdateCustomer
  | CreateWarehouse
  | UpdateWarehouse
  | CreateAgent
  | UpdateAgent
  | ChangeDuty
  | PutShifts
  | ScanPackage
  | NoteProof
  | AssignTask
  | UnassignTask
  | SearchAgent
  | AmendTask
  | ReassignTask
  | ReattemptTask
  | AnswerRequest
  | ProposeOffers
  | AssignCouriers
  | PayTask
  | RefundPayment
  | SettlePayment
  | TopUpWallet
  | UpdateOrganization
  | DeleteOrganization
  | NoteArrival
  | NoteEta
  | WakeUp;

export type Command = SingleCommand | CreateTasks | ActOnTasks | ReadTask;

/** How the engine answered. `data` is encoded JSON: the `data` of the envelope. */
export type Answer =
  | {
      readonly ok: true;
      readonly status: 200 | 201;
      readonly data: string;
      /** The entity tag of `data`, where it is known already. */
      readonly etag?: string;
      /** Sequence of the organization's log at which the answer was true. */
      readonly sequence: number;
      readonly replayed?: boolean;
    }
  | { readonly ok: false; readonly refusal: Refusal; readonly replayed?: boolean };
