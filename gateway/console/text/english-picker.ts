const tasks = (number: number) => `${number.toLocaleString('en')} ${number === 1 ? 'task' : 'tasks'}`;

/** The texts of the choice of a courier. */
export const pickerText = {
  title: (number: number, name?: string) => `Give ${name ? `“${name}”` : tasks(number)} to`,
  find: 'Find a courier',
  none: 'No courier has this name.',
  away: (distance: string) => `${distance} away`,
  planned: (span: string) => `Planned, done in ${span}`,
  plannedOf: (number: number, all: number, span: string) => `Planned: ${number} of ${all}, done in ${span}`,
  tooMany: (number: number) =>
    `There is no plan for more than 500 tasks at once. The courier gets all ${tasks(number)}.`,
  notPlanned: 'None planned',
  couldTake: 'Could take it',
};
