import { type AssignmentRequestRecord, assignmentRequestView } from '../../schema/assignment/assignment.ts';
import { compileSerializer } from './parts/serializer.ts';

const serialize = compileSerializer(assignmentRequestView);

/** Returns the JSON of an assignment request: the same bytes from memory and from Postgres. */
export function encodeAssignmentRequest(request: AssignmentRequestRecord): string {
  return serialize(request);
}
