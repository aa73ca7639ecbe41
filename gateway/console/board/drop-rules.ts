import type { TaskStatus } from '../../../schema/tasks/task.ts';
import type { TaskRow } from '../live/protocol.ts';

/** A drop is offered only where it has an effect: the engine refuses the rest, and a card is in its own column already. */
type Fits = (row: Pick<TaskRow, 'status' | 'shown' | 'agentId'>) => boolean;

const UNSERVED: ReadonlySet<TaskStatus> = new Set(['new', 'awaiting_assignment']);
const GIVEN: ReadonlySet<TaskStatus> = new Set(['assigned', 'accepted']);

export const canBeTakenBack: Fits = ({ status }) => GIVEN.has(status);

export const canBeLookedFor: Fits = ({ status, shown }) => UNSERVED.has(status) && shown !== 'awaiting_assignment';

export const canBeAssigned: Fits = ({ status }) =>
  UNSERVED.has(status) || status === 'accepted' || status === 'in_transit';

export function canBeGivenTo(agentId: number): Fits {
  return (row) => (canBeAssigned(row) || row.status === 'assigned') && row.agentId !== agentId;
}
