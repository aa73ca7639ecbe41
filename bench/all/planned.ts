/** A scenario as `all` runs it. */
export interface Planned {
  readonly name: string;
  /** The scenario of the bench; `name` unless it is run twice. */
  readonly scenario?: string;
  readonly args: readonly string[];
  /** It writes JSON with `charts`. */
  readonly hasCharts?: boolean;
}

/** Scenarios that need no data from outside and no other program. */
export const ALL: readonly Planned[] = [
  { name: 'create', args: ['--rounds', '5'], hasCharts: true },
  { name: 'batch', args: [], hasCharts: true },
  {
    name: 'batch-500',
    scenario: 'batch',
    args: ['--items', '500', '--connections', '64', '--batch-connections', '8'],
    hasCharts: true,
  },
  { name: 'read', args: ['--rounds', '5'], hasCharts: true },
  { name: 'payments', args: [], hasCharts: true },
  { name: 'locations', args: [] },
  { name: 'lists', args: [] },
  { name: 'rounds', args: [] },
  { name: 'commits', args: [] },
  { name: 'start', args: [] },
  { name: 'memory', args: [] },
  { name: 'activation', args: [] },
  { name: 'mixed', args: [] },
];
