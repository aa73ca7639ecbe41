/**
 * The page's script: new parts in the place of old ones as the stream sends them. The server makes the parts, as it makes
 * the page. A refused stream has a reason that the page will show. Times are without a date while they are of today, so
 * the page loads again on another day of its zone, unless somebody is writing in it.
 */
export const TRACKING_SCRIPT = `
'use strict';
const followed = document.querySelector('[data-events]');
if (followed) {
  const source = new EventSource(followed.dataset.events);
  source.addEventListener('parts', ({ data }) => {
    for (const [id, html] of Object.entries(JSON.parse(data))) {
      const part = document.getElementById(id);
      if (part) part.innerHTML = html;
    }
  });
  const again = document.getElementById('again');
  source.addEventListener('open', () => { again.hidden = true; });
  source.addEventListener('reload', () => location.reload());
  source.addEventListener('error', () => {
    again.hidden = false;
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 15000 + 15000 * Math.random());
  });
  const today = () => new Date().toLocaleDateString('en', { timeZone: followed.dataset.zone });
  const day = today();
  setInterval(() => {
    const isWriting = [...document.querySelectorAll('textarea')].some(({ value }) => value !== '');
    if (today() !== day && !isWriting) location.reload();
  }, 30000);
}
`;
