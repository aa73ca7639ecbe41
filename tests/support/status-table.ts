import type { TaskStatus } from '../../schema/tasks/task.ts';

/**
 * The answers of PUT /tasks/:id/status: rows are the present status of the task, columns the requested one.
 * yes: changes · same: 200, nothing changes · no: 409 INVALID_STATUS_TRANSITION · crew: 409 AGENT_REQUIRED
 * · job: 409 STATUS_DERIVED · 403 and 404: plain.
 */
export type Cell = 'yes' | 'same' | 'no' | 'crew' | 'job' | '403' | '404';
type StatusTable = Readonly<Record<TaskStatus, readonly Cell[]>>;

// biome-ignore format: read by columns
export const SERVED: StatusTable = {
  //                    new    await  assgn  accpt   trans   compl   cancl
  new:                 ['no',  'no',  'no',  'no',   'no',   'no',   'yes'],
  awaiting_assignment: ['no',  'no',  'no',  'no',   'no',   'no',   'yes'],
  assigned:            ['no',  'no',  'no',  'yes',  'no',   'no',   'yes'],
  accepted:            ['no',  'no',  'no',  'same', 'yes',  'no',   'yes'],
  in_transit:          ['no',  'no',  'no',  'no',   'same', 'yes',  'yes'],
  completed:           ['no',  'no',  'no',  'no',   'no',   'same', 'no'],
  cancelled:           ['no',  'no',  'no',  'no',   'no',   'no',   'no'],
};
// biome-ignore format: read by columns
export const NOT_SERVED: StatusTable = {
  //                    new    await  assgn  accpt   trans   compl   cancl
  new:                 ['no',  'no',  'no',  'no',   'crew', 'no',   'yes'],
  awaiting_assignment: ['no',  'no',  'no',  'no',   'crew', 'no',   'yes'],
  assigned:            ['no',  'no',  'no',  'yes',  'crew', 'no',   'yes'],
  accepted:            ['no',  'no',  'no',  'same', 'crew', 'no',   'yes'],
  in_transit:          ['no',  'no',  'no',  'no',   'crew', 'yes',  'yes'],
  completed:           ['no',  'no',  'no',  'no',   'crew', 'same', 'no'],
  cancelled:           ['no',  'no',  'no',  'no',   'crew', 'no',   'no'],
};
// biome-ignore format: read by columns
export const JOB: StatusTable = {
  //                    new    await  assgn  accpt   trans   compl   cancl
  new:                 ['job', 'job', 'job', 'job',  'job',  'job',  'yes'],
  awaiting_assignment: ['job', 'job', 'job', 'job',  'job',  'job',  'yes'],
  assigned:            ['job', 'job', 'job', 'job',  'job',  'job',  'yes'],
  accepted:            ['job', 'job', 'job', 'job',  'job',  'job',  'yes'],
  in_transit:          ['job', 'job', 'job', 'job',  'job',  'job',  'yes'],
  completed:           ['job', 'job', 'job', 'job',  'job',  'job',  'no'],
  cancelled:           ['job', 'job', 'job', 'job',  'job',  'job',  'no'],
};
// biome-ignore format: read by columns
export const OWN_OF_AGENT: StatusTable = {
  //                    new    await  assgn  accpt   trans   compl   cancl
  new:                 ['no',  'no',  'no',  'no',   'no',   'no',   '403'],
  awaiting_assignment: ['no',  'no',  'no',  'no',   'no',   'no',   '403'],
  assigned:            ['no',  'no',  'no',  'yes',  'no',   'no',   '403'],
  accepted:            ['no',  'no',  'no',  'same', 'yes',  'no',   '403'],
  in_transit:          ['no',  'no',  'no',  'no',   'same', 'yes',  '403'],
  completed:           ['no',  'no',  'no',  'no',   'no',   'same', '403'],
  cancelled:           ['no',  'no',  'no',  'no',   'no',   'no',   '403'],
};
/** For a task that an agent does not have. */
export const HIDDEN: readonly Cell[] = ['404', '404', '404', '404', '404', '404', '403'];
/** For an id without a task. */
export const UNKNOWN: readonly Cell[] = ['404', '404', '404', '404', '404', '404', '404'];
