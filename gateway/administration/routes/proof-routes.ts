import { listProofs, readProofFile } from '../../../engine/store/records/proof-store.ts';
import { encodeProof } from '../../../engine/views/proof-view.ts';
import { notFound } from '../../../schema/errors.ts';
import { formatPosition } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { PROOF_MEDIA, proofInput, proofListView, proofView } from '../../../schema/tasks/proof.ts';
import type { Header } from '../../http/port.ts';
import { RefusalError } from '../../refusal-error.ts';
import { type ApiRoute, apiRoute, may, type RawRoute, type Route, rawRoute } from '../../route.ts';
import { ADMINISTERED } from '../administer.ts';
import { addProof, findTask } from '../administer-proofs.ts';
import type { Administration } from '../open-administration.ts';

/** Proof of delivery. Source: docs/contract.md §3 "Also". */
export function proofRoutes(administration: Administration): Route[] {
  return [addRoute(administration), listRoute(administration), fileRoute(administration)];
}

function addRoute(administration: Administration): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/tasks/:id/proof',
    guard: may('tasks:step'),
    body: { schema: proofInput, maxBytes: LIMITS.bodyBytes },
    summary: "Add a proof of delivery: a photo, a signature, or the PIN that the task's tracking page shows",
    success: { status: 201, data: proofView },
    refusals: [
      '404',
      '409 PROOF_NOT_EXPECTED',
      '409 TOO_MANY_PROOFS',
      '409 PIN_MISMATCH',
      '409 PIN_LOCKED',
      ...ADMINISTERED,
    ],
    handle: (request) => addProof(administration, request),
  });
}

function listRoute(administration: Administration): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/tasks/:id/proof',
    guard: may('tasks:read'),
    summary: 'List the proofs of a task, oldest first',
    success: { status: 200, data: proofListView },
    refusals: ['404'],
    async handle({ identity, params }) {
      const { organizationId } = identity;
      const taskId = params.id;
      const found = await findTask(administration, identity, taskId);
      if ('refusal' in found) return found;
      const proofs = await administration.reads.run(organizationId, (sql) => listProofs(sql, organizationId, taskId));
      const data = `{"items":[${proofs.map(encodeProof).join(',')}],"count":${proofs.length}}`;
      return { status: 200, message: 'Proofs', data, position: formatPosition(administration.history, found.sequence) };
    },
  });
}

/** A file is served as the image that it is, and nothing else: its content cannot run. */
const FILE_HEADERS: readonly Header[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cache-Control', `private, max-age=${LIMITS.proofFileCacheSeconds}`],
];

function fileRoute(administration: Administration): RawRoute {
  return rawRoute({
    method: 'GET',
    path: '/tasks/:id/proof/:proofId',
    place: 'api',
    guard: may('tasks:read'),
    summary: 'The photo or the signature of a proof, as it came',
    answers: PROOF_MEDIA,
    refusals: ['404'],
    async handle({ identity, params, replyHeaders }, reply) {
      const { organizationId } = identity;
      const [taskId, proofId] = [params.id, params.proofId];
      const found = await findTask(administration, identity, taskId);
      if ('refusal' in found) throw new RefusalError(found.refusal);
      const file = await administration.reads.run(organizationId, (sql) =>
        readProofFile(sql, organizationId, taskId, proofId),
      );
      if (!file) throw new RefusalError(notFound('Proof', proofId));
      const name = `proof-${proofId}.${file.contentType.replace('image/', '')}`;
      const headers: Header[] = [
        ['Content-Type', file.contentType],
        ['Content-Disposition', `inline; filename="${name}"`],
      ];
      reply.send(200, [...headers, ...FILE_HEADERS, ...replyHeaders], file.content);
    },
  });
}
