import { deliveryPinOf } from '../../engine/domain/tasks/delivery-pin.ts';
import { WITH_PROOFS } from '../../engine/domain/tasks/requirements.ts';
import { mayChange } from '../../engine/domain/tasks/task-machine.ts';
import type { Sql } from '../../engine/store/postgres.ts';
import { countWrongPin, drawProofId, insertProof, takesPin } from '../../engine/store/records/proof-store.ts';
import { secretOf } from '../../engine/views/parts/tracking-url.ts';
import { encodeProof } from '../../engine/views/proof-view.ts';
import type { Answer, Caller } from '../../schema/commands.ts';
import { type Refusal, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ProofInput, ProofKind, ProofRecord } from '../../schema/tasks/proof.ts';
import type { TaskView } from '../../schema/tasks/task-view.ts';
import type { ById, Identity, ParsedRequest, RouteAnswer } from '../route.ts';
import { administer, type PlannedRefusals } from './administer.ts';
import type { Administration } from './open-administration.ts';

/**
 * Adds a proof to a task that the caller may change, once it was accepted. Refuses: 404, 403, 409 PROOF_NOT_EXPECTED,
 * TOO_MANY_PROOFS, PIN_MISMATCH with what may still be tried, PIN_LOCKED; 503 OUTCOME_UNKNOWN once it is stored.
 */
export async function addProof(
  administration: Administration,
  request: ParsedRequest<ById, unknown, ProofInput>,
): Promise<RouteAnswer> {
  const answer = await storeProof(administration, request);
  if ('refusal' in answer) return answer;
  const { identity, body, params } = request;
  const note = (caller: Caller) =>
    administration.ask(identity.organizationId, { kind: 'note-proof', caller, taskId: params.id, proof: kindOf(body) });
  // A retry whose first answer was lost comes here too: the 201 says that the task knows its proof.
  const noted = await note(identity.caller);
  // The caller has lost the task in between, and the task has the proof all the same.
  const known = isUnknown(noted) ? await note(SYSTEM) : noted;
  if (known.ok || isUnknown(known)) return answer;
  // Other refusals say that nothing was written, but the proof is: a repeat under the key has the task know it.
  return { refusal: refusal('OUTCOME_UNKNOWN') };
}

const SYSTEM: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };

function isUnknown(answer: Answer): boolean {
  return !answer.ok && answer.refusal.code === 'NOT_FOUND';
}

function storeProof(
  administration: Administration,
  request: ParsedRequest<ById, unknown, ProofInput>,
): Promise<RouteAnswer> {
  const { sql } = administration.proofs;
  const { identity, body: input, params } = request;
  const { organizationId, caller } = identity;
  const taskId = params.id;
  return administer(administration.proofs, { ...request, organizationId }, async (now) => {
    const found = await findTask(administration, identity, taskId);
    if ('refusal' in found) return found;
    if (!mayChange(found.task, caller)) return { refusal: refusal('FORBIDDEN') };
    if (!WITH_PROOFS.has(found.task.status)) return { refusal: refusal('PROOF_NOT_EXPECTED') };
    if (input.pin != null) {
      if (input.pin !== deliveryPinOf(secretOf(found.task.trackingUrl))) return wrongPin(sql, organizationId, taskId);
      if (!(await takesPin(sql, organizationId, taskId))) return { refusal: refusal('PIN_LOCKED') };
    }
    const image = input.photo ?? input.signature ?? undefined;
    const proof: ProofRecord = {
      ...{ organizationId, taskId, id: await drawProofId(sql), kind: kindOf(input) },
      ...{ contentType: image?.contentType ?? null, bytes: image?.bytes ?? null },
      ...{ actorType: caller.type, actorId: caller.id, createdAt: now },
    };
    const data = encodeProof(proof);
    const note = { organizationId, recordType: 'task', recordId: taskId, caller, before: null, after: data } as const;
    return {
      answer: { status: 201, message: 'Proof added', data },
      write: {
        change: insertProof(sql, proof, image),
        notes: [{ ...note, action: 'task.proof_added' }],
        elseRefusal: refusal('TOO_MANY_PROOFS'),
        revokes: false,
      },
    };
  });
}

/** The task as the caller may see it, and the place in the log at which it was that. */
export async function findTask(
  { ask }: Pick<Administration, 'ask'>,
  { organizationId, caller }: Identity,
  taskId: number,
): Promise<{ readonly task: TaskView; readonly sequence: number } | { readonly refusal: Refusal }> {
  const answer = await ask(organizationId, { kind: 'read-task', caller, taskId, show: 'task' });
  if (!answer.ok) return { refusal: answer.refusal };
  return { task: JSON.parse(answer.data) as TaskView, sequence: answer.sequence };
}

/** A wrong PIN counts even if its sender never hears of it, and once however often it is sent under one key. */
function wrongPin(sql: Sql, organizationId: number, taskId: number): PlannedRefusals {
  const mismatch = (attemptsLeft: number) => refusal('PIN_MISMATCH', undefined, { attemptsLeft });
  const most = LIMITS.wrongPins;
  const [first, ...others] = Array.from({ length: most }, (_, index) => mismatch(most - 1 - index));
  const change = countWrongPin(sql, organizationId, taskId);
  const write = { change, picks: true, notes: [], elseRefusal: refusal('PIN_LOCKED'), revokes: false };
  return { refusals: [first!, ...others], write };
}

function kindOf({ photo, signature }: ProofInput): ProofKind {
  if (photo) return 'photo';
  return signature ? 'signature' : 'pin';
}
