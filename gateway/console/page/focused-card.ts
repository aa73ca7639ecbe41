/** The task of the card that has the focus; undefined while something else has it. */
export function focusedTask(): number | undefined {
  const id = document.activeElement?.closest<HTMLElement>('[data-task]')?.dataset['task'];
  return id === undefined ? undefined : Number(id);
}

const cardsOf = (column: Element) => [...column.querySelectorAll<HTMLElement>('[data-task]')];
const columns = () => [...document.querySelectorAll('.board-column')].filter((column) => cardsOf(column).length > 0);

/** Moves the focus within its column; to the first card of the board when it is elsewhere. */
export function moveCard(by: 1 | -1): void {
  const column = document.activeElement?.closest('.board-column');
  const cards = column ? cardsOf(column) : [];
  const at = cards.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return columns()[0]?.querySelector<HTMLElement>('[data-task]')?.focus();
  cards[at + by]?.focus();
}

/** Moves the focus to the next column that has a card, at the same height where it can. */
export function moveColumn(by: 1 | -1): void {
  const all = columns();
  const now = document.activeElement?.closest('.board-column');
  const next = all[now ? all.indexOf(now) + by : 0];
  if (!next) return;
  const height = now ? cardsOf(now).indexOf(document.activeElement as HTMLElement) : 0;
  const cards = cardsOf(next);
  cards[Math.min(Math.max(height, 0), cards.length - 1)]?.focus();
}
