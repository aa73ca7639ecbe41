import { LIMITS } from '../../../schema/limits.ts';
import type { ProofImage, ProofRecord } from '../../../schema/tasks/proof.ts';
import type { Fragment, Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

/** Draws the id of a proof. */
export async function drawProofId(sql: Sql): Promise<number> {
  const [row] = await sql<{ id: number }[]>`SELECT nextval('proof_ids') AS id`;
  return row!.id;
}

/** Adds a proof to a task. No row when the task has the maximum. Exact under any concurrency. */
export function insertProof(sql: Sql, proof: ProofRecord, image: ProofImage | undefined): Fragment {
  const { organizationId, taskId, id, kind, contentType, actorType, actorId, createdAt } = proof;
  return sql`
    INSERT INTO task_proofs (organization_id, task_id, id, kind, content_type, content, actor_type, actor_id, created_at)
    SELECT ${organizationId}::bigint, ${taskId}::bigint, ${id}::bigint, ${kind}::text, ${contentType}::text,
      decode(${image?.base64 ?? null}::text, 'base64'), ${actorType}::text, ${actorId}::bigint, ${createdAt}::timestamptz
    WHERE proof_room(${organizationId}::bigint, ${taskId}::bigint, ${LIMITS.proofsPerTask})
    RETURNING id`;
}

/**
 * Counts a wrong PIN of a task and picks its number. No row once the maximum is reached: it does not count then. Exact
 * under any concurrency.
 */
export function countWrongPin(sql: Sql, organizationId: number, taskId: number): Fragment {
  return notePin(sql, organizationId, taskId, 1);
}

/** Whether a right PIN may still be given for a task. Waits for the wrong ones that are being counted. */
export async function takesPin(sql: Sql, organizationId: number, taskId: number): Promise<boolean> {
  return (await notePin(sql, organizationId, taskId, 0)).length > 0;
}

function notePin(sql: Sql, organizationId: number, taskId: number, wrong: 0 | 1): Fragment {
  return sql`
    INSERT INTO task_pins AS p (organization_id, task_id, wrong_count)
    VALUES (${organizationId}::bigint, ${taskId}::bigint, ${wrong}::int)
    ON CONFLICT (organization_id, task_id) DO UPDATE SET wrong_count = p.wrong_count + excluded.wrong_count
    WHERE p.wrong_count < ${LIMITS.wrongPins}
    RETURNING wrong_count AS picked`;
}

/** The proofs of a task, oldest first. */
export function listProofs(sql: Sql, organizationId: number, taskId: number): Promise<ProofRecord[]> {
  const query = () => sql<ProofRecord[]>`
    SELECT organization_id, task_id, id, kind, content_type, octet_length(content) AS bytes, actor_type, actor_id, created_at
    FROM task_proofs WHERE organization_id = ${organizationId} AND task_id = ${taskId} ORDER BY id`;
  return retried(query, LIMITS.readDeadlineMs, 'listing proofs');
}

export interface ProofFile {
  readonly contentType: string;
  readonly content: Buffer;
}

/** The file of a proof; undefined when the task has no such proof, or it has none. */
export async function readProofFile(
  sql: Sql,
  organizationId: number,
  taskId: number,
  proofId: number,
): Promise<ProofFile | undefined> {
  const query = () => sql<{ contentType: string; content: string }[]>`
    SELECT content_type, encode(content, 'base64') AS content FROM task_proofs
    WHERE organization_id = ${organizationId} AND task_id = ${taskId} AND id = ${proofId} AND content IS NOT NULL`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading a proof');
  return row && { contentType: row.contentType, content: Buffer.from(row.content, 'base64') };
}
