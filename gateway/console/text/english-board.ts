/** The texts of the board, and of drags elsewhere. */
export const boardText = {
  label: 'Board',
  grouping: 'Columns',
  groupings: { stage: 'By status', courier: 'By courier' },
  stages: {
    unassigned: 'Unassigned',
    awaiting_assignment: 'Looking for a courier',
    assigned: 'Assigned',
    accepted: 'Accepted',
    in_transit: 'On its way',
    done: 'Done today',
  },
  empty: {
    unassigned: 'No task is without a courier.',
    awaiting_assignment: 'No courier is looked for.',
    assigned: 'Drop a task here to choose its courier.',
    accepted: 'No courier is about to leave.',
    in_transit: 'Nobody is on the way.',
    done: 'Nothing has ended today.',
    courier: 'Free. Drop a task here.',
    offDuty: 'Off duty.',
  },
  /** For a column without tasks, while filters leave tasks out. */
  nothing: 'No task here fits the search and the filters.',
  dropOnCourier: 'Drop on a courier',
};
