import type { Sql } from '../../engine/store/postgres.ts';
import { SHOWN_TASK } from '../../engine/store/rows/record-tables.ts';
import { encodeTask } from '../../engine/views/task-view.ts';
import { type PeerCaller, PeerRefusal } from './peer-create-task.ts';

export const taskParams = {
  type: 'object',
  properties: { id: { type: 'string', pattern: '^[1-9][0-9]{0,15}$' } },
  required: ['id'],
} as const;

/** A task with all that its JSON shows, by one prepared statement. */
export async function readPeerTask(sql: Sql, { organizationId }: PeerCaller, id: number): Promise<string> {
  const rows = await sql
    .unsafe(
      `SELECT ${SHOWN_TASK.list} FROM tasks t WHERE t.organization_id = $1::bigint AND t.id = $2::bigint`,
      [organizationId, id],
      { prepare: true },
    )
    .values();
  if (rows.length === 0) throw new PeerRefusal(404, `Task with ID ${id} not found`);
  return encodeTask(SHOWN_TASK.ofRow(rows[0]!));
}
