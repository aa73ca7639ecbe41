import { type AssignmentRequestRecord, assignmentRequestView } from '../../schema/assignment/assignment.ts';
import { compileSerializer } from './parts/serializer.ts';

const serialize = compileSerializer(assignmentRequestView);

/** The JSON of a request, the same whether it comes from memory or from Postgres. */
export function encodeAssignmentRequest(request: AssignmentRequestRecord): string {
  return serialize(request);
}
