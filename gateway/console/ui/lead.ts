/** Opens a view in this page for a plain click on its link. With a modifier the browser opens the link, in a new tab or window. */
export function lead(event: MouseEvent, open: () => void): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  open();
}
