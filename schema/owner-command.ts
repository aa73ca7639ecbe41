import * as v from 'valibot';
import { FAILURE_REASONS } from './assignment/assignment.ts';
import { courierView } from './assignment/courier.ts';
import type { Answer, AssignCouriers, ProposeOffers, SettlePayment } from './commands.ts';
import { ERRORS, type ErrorCode } from './errors.ts';
import { id } from './fields/fields.ts';
import { LIMITS } from './limits.ts';

/** The commands that a process may send to the owner of an organization. The owner sets the caller: the system. */
export type OwnerCommand = Asked<ProposeOffers> | Asked<AssignCouriers> | Asked<SettlePayment>;
type Asked<T> = Omit<T, 'caller' | 'idempotency'>;

const number = v.pipe(v.number(), v.finite());
const list = <T extends v.GenericSchema>(item: T) => v.pipe(v.array(item), v.maxLength(LIMITS.proposedOffers));
/** The range of the columns of a request. */
const int32 = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31 - 1));
const reason = v.pipe(v.string(), v.regex(/^[a-z_]{1,40}$/));

const proposeOffers = v.strictObject({
  kind: v.literal('propose-offers'),
  offers: list(
    v.strictObject({
      taskId: id,
      agentId: id,
      score: number,
      distanceM: v.nullable(int32),
      etaSeconds: v.nullable(int32),
      heldTasks: v.exactOptional(int32),
      lateSeconds: v.exactOptional(int32),
    }),
  ),
  lacking: list(
    v.strictObject({
      taskId: id,
      reason: v.nullable(v.picklist(FAILURE_REASONS)),
      isHopeless: v.boolean(),
      counts: v.record(reason, number),
      nearest: v.pipe(
        v.array(v.strictObject({ agentId: id, reason, distanceM: v.nullable(number) })),
        v.maxLength(LIMITS.passedOverShown),
      ),
    }),
  ),
});

const assignCouriers = v.strictObject({
  kind: v.literal('assign-couriers'),
  assignments: list(v.strictObject({ taskId: id, courier: courierView })),
});

const providerText = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.providerTextChars));
const attempt = v.pipe(v.number(), v.integer(), v.minValue(1));
const settlePayment = v.strictObject({
  kind: v.literal('settle-payment'),
  paymentId: id,
  mark: v.exactOptional(providerText),
  report: v.variant('kind', [
    v.strictObject({ kind: v.literal('checkout-made'), providerReference: providerText, page: providerText }),
    v.strictObject({ kind: v.literal('checkout-refused'), reason: providerText }),
    v.strictObject({
      kind: v.literal('paid'),
      providerReference: providerText,
      amountMinor: v.pipe(v.number(), v.safeInteger()),
      currency: providerText,
    }),
    v.strictObject({
      kind: v.literal('not-paid'),
      providerReference: v.nullable(providerText),
      reason: providerText,
    }),
    v.strictObject({ kind: v.literal('refund-begun'), attempt, refundReference: providerText }),
    v.strictObject({ kind: v.literal('refunded'), attempt, refundReference: providerText }),
    v.strictObject({
      kind: v.literal('refund-failed'),
      attempt,
      refundReference: v.exactOptional(providerText),
      reason: providerText,
    }),
    v.strictObject({
      kind: v.literal('given-back'),
      refundReference: providerText,
      amountMinor: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
      isWhole: v.boolean(),
    }),
    v.strictObject({ kind: v.literal('give-back-failed'), refundReference: providerText, reason: providerText }),
  ]),
});

const ownerRequest = v.strictObject({
  organizationId: id,
  command: v.variant('kind', [proposeOffers, assignCouriers, settlePayment]),
});

/** The body of `POST /commands` between processes. */
export interface OwnerRequest {
  readonly organizationId: number;
  readonly command: OwnerCommand;
}

/** Undefined for what is no request that a process of this release makes. */
export function parseOwnerRequest(json: unknown): OwnerRequest | undefined {
  const parsed = v.safeParse(ownerRequest, json);
  return parsed.success ? parsed.output : undefined;
}

const positionsRequest = v.strictObject({ organizationId: id });

/** The body of `POST /positions` between processes; undefined for anything else. */
export function parsePositionsRequest(json: unknown): { readonly organizationId: number } | undefined {
  const parsed = v.safeParse(positionsRequest, json);
  return parsed.success ? parsed.output : undefined;
}

const replayed = v.exactOptional(v.boolean());
const answer = v.variant('ok', [
  v.object({ ok: v.literal(true), status: v.picklist([200, 201]), data: v.string(), sequence: v.number(), replayed }),
  v.object({
    ok: v.literal(false),
    refusal: v.object({
      code: v.picklist(Object.keys(ERRORS) as ErrorCode[]),
      message: v.string(),
      details: v.exactOptional(v.record(v.string(), v.unknown())),
    }),
    replayed,
  }),
]);

/** How the owner answered; undefined for anything else. */
export function parseAnswer(json: unknown): Answer | undefined {
  const parsed = v.safeParse(answer, json);
  return parsed.success ? parsed.output : undefined;
}
