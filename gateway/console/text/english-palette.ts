/** The texts of the command palette. */
export const paletteText = {
  title: 'Go to, or do',
  hint: 'A view, a courier, or an action',
  none: 'Nothing has this name.',
  search: (words: string) => `Search tasks for “${words}”`,
  courier: 'Courier',
  view: 'View',
  action: 'Action',
  section: 'Settings',
  manyTasks: 'Many tasks from a table',
};
