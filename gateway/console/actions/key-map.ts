import { text } from '../text/english.ts';
import { attention } from '../text/english-attention.ts';
import { paletteText } from '../text/english-palette.ts';
import { settingsText } from '../text/english-settings.ts';

const { keys: words } = text;

/** The map of keys, as `?` shows it. */
export const KEY_MAP: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl K'], paletteText.title],
  [['/'], words.search],
  [['j', 'k'], words.move],
  [['h', 'l'], words.moveColumn],
  [['Enter'], words.open],
  [['x'], words.select],
  [['Shift', 'drag'], words.selectOnMap],
  [['a'], words.assign],
  [['r'], words.reassign],
  [['f'], text.act.look],
  [['u'], words.unassign],
  [['c'], words.cancel],
  [['e'], words.edit],
  [['y'], text.act.reattempt],
  [['n'], words.create],
  [['g', 'm'], words.map],
  [['g', 'b'], words.board],
  [['g', 'a'], attention.title],
  [['g', 'c'], words.couriers],
  [['g', 'h'], text.nav.charts],
  [['g', 's'], settingsText.title],
  [['Esc'], words.close],
  [['?'], words.help],
];
