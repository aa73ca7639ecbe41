import { isCovered } from '../page/covered.ts';
import { may } from '../page/link.ts';
import { view } from '../page/state.ts';
import { text } from '../text/english.ts';
import { selectionText } from '../text/english-selection.ts';
import { Button } from '../ui/controls.tsx';
import { askForCourier, askToCancel, lookForCourier, takeBack } from './dialog-state.ts';
import { clearSelected, countAway, selected } from './selection.ts';

const { act: words } = text;

/** The actions on the selected rows. The bar takes the place of what is above them, so that no row moves. */
export function SelectionBar() {
  return (
    <div class="selection" inert={isCovered.value}>
      <p role="status">
        <strong>{selectionText.selected(selected.value.size)}</strong>
        <Away ids={[...selected.value]} />
      </p>
      <div class="actions">
        {may('tasks:assign') && <Button onClick={() => askForCourier()}>{words.assign}</Button>}
        {may('tasks:assign') && <Button onClick={() => lookForCourier()}>{words.look}</Button>}
        {may('tasks:assign') && <Button onClick={() => takeBack()}>{words.unassign}</Button>}
        {may('tasks:change') && <Button onClick={() => askToCancel()}>{words.cancel}</Button>}
      </div>
      <Button kind="quiet" icon="close" label={words.clear} onClick={clearSelected} />
    </div>
  );
}

/** Says how many of the tasks are out of the reader's sight, because search and filters hide them. */
export function Away({ ids }: { readonly ids: readonly number[] }) {
  const away = countAway(ids);
  if (away === 0) return null;
  return <span class="away">{selectionText.away(away, ids.length, view.value === 'board')}</span>;
}
