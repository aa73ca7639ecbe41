import { may } from '../page/link.ts';
import { text } from '../text/english.ts';
import { Button } from '../ui/controls.tsx';
import { askForCourier, askToCancel, lookForCourier, takeBack } from './dialog-state.ts';
import { clearSelected, selected } from './selection.ts';

const { act: words } = text;

/** The actions on the selected rows. The bar takes the place of what is above them, so that no row moves. */
export function SelectionBar() {
  return (
    <div class="selection">
      <strong>{text.list.selected(selected.value.size)}</strong>
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
