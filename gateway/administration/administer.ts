import { type Clock, isoTime } from '../../engine/runtime/clock.ts';
import { DeadlineError, withDeadline } from '../../engine/runtime/deadline.ts';
import {
  findKept,
  type KeptOutcome,
  keepOutcome,
  type NotedChange,
  writeNoted,
} from '../../engine/store/accounts/change-notes.ts';
import type { Sql } from '../../engine/store/postgres.ts';
import { ERRORS, isOutcome, type Refusal, refusal } from '../../schema/errors.ts';
import type { IdempotencyKey } from '../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { FairQueue } from '../fair-queue.ts';
import type { RouteAnswer } from '../route.ts';
import { openOutcome, placeOf, sealedFingerprint, sealOutcome } from './sealed-outcome.ts';

export interface Administering {
  readonly sql: Sql;
  /** Whose turn it is to write, by organization: what has begun has a connection at once, and ends soon unless the store hangs. */
  readonly turns: FairQueue;
  readonly clock: Clock;
  /** See Access. */
  readonly settled: () => Promise<void>;
}

export interface PlannedChange {
  readonly answer: Extract<RouteAnswer, { data: string }>;
  /** Absent when all is as it is wanted already. */
  readonly write?: Omit<NotedChange, 'kept'> & {
    /** The refusal when nothing could be changed; without one another change was faster, and the plan is made again. */
    readonly elseRefusal?: Refusal;
    /** A caller with fewer rights loses them everywhere before the answer. */
    readonly revokes: boolean;
  };
  /** For one without a write: what is wanted may have been revoked just now, by a request that is not answered yet. */
  readonly revokesAgain?: boolean;
}

/** A change that leads to one of several refusals, as its statement picks: see NotedChange. */
export interface PlannedRefusals {
  readonly refusals: readonly [Refusal, ...Refusal[]];
  readonly write: NonNullable<PlannedChange['write']>;
}

/** Decides a change on what is stored now. Called again when that has changed in between. */
export type Plan = (now: string) => Promise<PlannedChange | PlannedRefusals | { readonly refusal: Refusal }>;

/** The common refusals of all these changes. */
export const ADMINISTERED = ['409 CONFLICT', '422 IDEMPOTENCY_KEY_REUSED'] as const;

interface AdministrationRequest {
  /** Where its outcome is kept: the organization of the caller's doing, 0 for none. */
  readonly organizationId: number;
  readonly idempotency: IdempotencyKey | undefined;
}

/**
 * Makes a change by a plain transaction: the records, their audit lines and the outcome under the request's
 * Idempotency-Key are one statement. Rejects with a RefusalError when too much waits.
 */
export async function administer(
  administering: Administering,
  request: AdministrationRequest,
  plan: Plan,
): Promise<RouteAnswer> {
  const { outcome, revoked } = await administering.turns.run(request.organizationId, () =>
    decideAndWrite(administering, request, plan),
  );
  if (revoked) await administering.settled();
  return outcome;
}

interface Ending {
  readonly outcome: RouteAnswer;
  /** Something may have been revoked just now: by it, or by a request that is not answered yet or never will be. */
  readonly revoked: boolean;
}

async function decideAndWrite(
  { sql, clock }: Administering,
  request: AdministrationRequest,
  plan: Plan,
): Promise<Ending> {
  let verdict: Refusal | undefined;
  // A store that hangs does not even end what it was asked: past this nothing is begun that nobody waits for any more.
  const giveUpAt = clock.monotonic() + LIMITS.administrationDecisionMs;
  const inTime = <T>(work: Promise<T>) =>
    withDeadline(work, Math.max(0, giveUpAt - clock.monotonic()), 'deciding an administrative change');
  for (let attempt = 1; attempt <= LIMITS.administrationAttempts; attempt++) {
    const kept = await inTime(findReplay(sql, request));
    if (kept) return { outcome: kept, revoked: kept.replayed ?? false };
    const planned = verdict ? { refusal: verdict } : await inTime(plan(isoTime(clock.now())));
    if ('refusal' in planned && !isOutcome(planned.refusal)) return { outcome: planned, revoked: false };
    const outcomes = outcomesOf(planned);
    const write = 'write' in planned ? planned.write : undefined;
    const revoked = write ? write.revokes : 'revokesAgain' in planned && planned.revokesAgain === true;
    const end = await attemptWrite(sql, write, keptOf(request, outcomes));
    if (typeof end === 'number') return { outcome: outcomes[end - 1]!, revoked };
    // An earlier attempt under the key may have been given up here and still wait in Postgres.
    if (end !== 'outrun')
      return { outcome: { refusal: refusal(request.idempotency ? 'OUTCOME_UNKNOWN' : end) }, revoked: false };
    verdict = write?.elseRefusal;
  }
  return { outcome: { refusal: refusal('CONFLICT') }, revoked: false };
}

function outcomesOf(planned: Awaited<ReturnType<Plan>>): [RouteAnswer, ...RouteAnswer[]] {
  if ('answer' in planned) return [planned.answer];
  if ('refusal' in planned) return [planned];
  const [first, ...others] = planned.refusals;
  return [{ refusal: first }, ...others.map((one) => ({ refusal: one }))];
}

/**
 * The number of the outcome that was written. `outrun`: nothing was, since the records, or what is kept under the key,
 * are no longer what they were.
 */
type WriteEnd = number | 'outrun' | 'NOT_APPLIED' | 'OUTCOME_UNKNOWN';

async function attemptWrite(sql: Sql, write: PlannedChange['write'], kept: KeptOutcome | undefined): Promise<WriteEnd> {
  if (!write && !kept) return 1;
  const work = write ? writeNoted(sql, { ...write, kept }) : keepOutcome(sql, kept!).then(() => 1);
  try {
    return (await withDeadline(work, LIMITS.commitDeadlineMs, 'an administrative change')) || 'outrun';
  } catch (error) {
    return endOf(error);
  }
}

const UNIQUE_VIOLATION = '23505';
/** When two write one of these at the same time, the later one looks again. */
const RACED: ReadonlySet<unknown> = new Set(['kept_outcomes_pkey', 'push_tokens_token']);
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Said before a statement was sent: by the system, by the client, by a server that is starting or full. */
const NEVER_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOENT', 'CONNECT_TIMEOUT', '57P03', '53300']);

/** The outcome of a statement that failed. Throws faults of the statement itself. */
function endOf(error: unknown): WriteEnd {
  const { code, severity, constraint_name } = error as {
    readonly code?: unknown;
    readonly severity?: string;
    readonly constraint_name?: string;
  };
  if (error instanceof DeadlineError || typeof code !== 'string') return 'OUTCOME_UNKNOWN';
  if (NEVER_SENT.has(code)) return 'NOT_APPLIED';
  if (severity !== 'ERROR' || !SQLSTATE.test(code)) return 'OUTCOME_UNKNOWN';
  if (code === UNIQUE_VIOLATION && RACED.has(constraint_name)) return 'outrun';
  if (code.startsWith('22') || code.startsWith('23') || code.startsWith('42')) throw error;
  return 'NOT_APPLIED';
}

async function findReplay(
  sql: Sql,
  { organizationId, idempotency }: AdministrationRequest,
): Promise<RouteAnswer | undefined> {
  if (!idempotency) return undefined;
  const kept = await findKept(sql, { organizationId, ...placeOf(idempotency) }, LIMITS.idempotencyRetentionMs);
  if (!kept) return undefined;
  if (kept.fingerprint !== sealedFingerprint(idempotency)) return { refusal: refusal('IDEMPOTENCY_KEY_REUSED') };
  return { ...openOutcome(idempotency, kept.sealed), replayed: true };
}

/** All outcomes have one status. */
function keptOf(
  { organizationId, idempotency }: AdministrationRequest,
  [outcome, ...others]: [RouteAnswer, ...RouteAnswer[]],
): KeptOutcome | undefined {
  return (
    idempotency && {
      organizationId,
      ...placeOf(idempotency),
      fingerprint: sealedFingerprint(idempotency),
      status: 'refusal' in outcome ? ERRORS[outcome.refusal.code].status : outcome.status,
      sealed: [sealOutcome(idempotency, outcome), ...others.map((one) => sealOutcome(idempotency, one))],
    }
  );
}
