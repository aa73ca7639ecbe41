import { compileSerializer } from '../../engine/views/parts/serializer.ts';
import { previewInput, previewView } from '../../schema/assignment/preview.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';
import type { Preview } from './open-preview.ts';

const serializePreview = compileSerializer(previewView);

/** Source: docs/contract.md §5 "Matching". */
export function previewRoute(preview: Preview): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/dispatch/preview',
    guard: may('tasks:assign'),
    keepsNothing: true,
    body: { schema: previewInput, maxBytes: LIMITS.bodyBytes, mayBeAbsent: true },
    summary: 'Whom a round of the planner would ask for which tasks; nothing is done',
    success: { status: 200, data: previewView },
    refusals: ['404', '409 INVALID_STATUS_TRANSITION', '409 STATUS_DERIVED'],
    async handle({ identity: { organizationId }, body }) {
      const data = serializePreview(await preview.round(organizationId, body));
      return { status: 200, message: 'Plan of a round', data };
    },
  });
}
