import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { remPx } from './rem.ts';

/** Rows beyond the edges, so that a scroll finds them there. */
const OVERSCAN = 20;

interface Props<Entry> {
  readonly label: string;
  readonly offset: number;
  readonly total: number;
  readonly entries: readonly Entry[];
  readonly rowRem: number;
  readonly keyOf: (entry: Entry) => string;
  readonly render: (entry: Entry) => ComponentChildren;
  readonly onRange: (offset: number, limit: number) => void;
  readonly onHold: (isHeld: boolean) => void;
  /** The row to bring into view, by its place in the whole list. */
  readonly cursor?: number | undefined;
}

/** A list of rows of one height. Only those near the screen exist; the rest is room. */
export function VirtualList<Entry>(props: Props<Entry>) {
  const { label, offset, total, entries, rowRem, keyOf, render, onRange, onHold, cursor } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rowPx = () => rowRem * remPx();

  function measure(): void {
    const element = scroller.current;
    if (!element) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowPx()) - OVERSCAN);
    // In steps, so that a small scroll asks for nothing.
    const at = Math.floor(first / 10) * 10;
    onRange(at, Math.ceil(element.clientHeight / rowPx()) + 2 * OVERSCAN + 10);
  }

  useEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(scroller.current!);
    return () => observer.disconnect();
  }, []);

  // A list that is gone hears of no pointer that leaves it.
  useEffect(() => () => onHold(false), []);

  useEffect(() => {
    const element = scroller.current;
    if (!element || cursor === undefined || cursor < 0) return;
    const top = cursor * rowPx();
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowPx() > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowPx() - element.clientHeight;
    // On a low screen the page scrolls too, and may show something else.
    element.scrollIntoView({ block: 'nearest' });
  }, [cursor]);

  return (
    <div
      class="virtual"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the keys that scroll it.
      tabIndex={0}
      onScroll={measure}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && onHold(true)}
      onPointerLeave={() => onHold(false)}
    >
      <ul class="virtual-room" aria-label={label} style={{ height: `${total * rowRem}rem` }}>
        {entries.map((entry, index) => (
          <li
            key={keyOf(entry)}
            class="virtual-row"
            aria-posinset={offset + index + 1}
            aria-setsize={total}
            style={{ height: `${rowRem}rem`, transform: `translateY(${(offset + index) * rowRem}rem)` }}
          >
            {render(entry)}
          </li>
        ))}
      </ul>
    </div>
  );
}
