import { type Mutation, mutationsOf } from '../../mutation.ts';

/** Faults in what the console shows. */
export const SHOWN: readonly Mutation[] = [
  ...mutationsOf(
    'gateway/console/live/by-name.ts',
    ['unit/gateway/console/parts/list-of-today'],
    [['numeric: true', 'numeric: false', 'Couriers stand as people count: 19 before 189.']],
  ),
];
