import { type ProofRecord, type ProofView, proofView } from '../../schema/tasks/proof.ts';
import { compileSerializer } from './parts/serializer.ts';

const serialize = compileSerializer(proofView);

export function encodeProof(proof: ProofRecord): string {
  return serialize(proofViewOf(proof));
}

function proofViewOf({ id, taskId, kind, contentType, bytes, actorType, actorId, createdAt }: ProofRecord): ProofView {
  return {
    id,
    taskId,
    kind,
    contentType,
    bytes,
    fileUrl: contentType === null ? null : `/api/v1/tasks/${taskId}/proof/${id}`,
    actor: { type: actorType, id: actorId },
    createdAt,
  };
}
