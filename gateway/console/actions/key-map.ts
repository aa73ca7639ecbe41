import { text } from '../text/english.ts';

const { keys: words } = text;

/** The map of keys, as `?` shows it. */
export const KEY_MAP: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['/'], words.search],
  [['j', 'k'], words.move],
  [['Enter'], words.open],
  [['x'], words.select],
  [['a'], words.assign],
  [['r'], words.reassign],
  [['u'], words.unassign],
  [['c'], words.cancel],
  [['n'], words.create],
  [['g', 'm'], words.map],
  [['g', 'c'], words.couriers],
  [['Esc'], words.close],
  [['?'], words.help],
];
