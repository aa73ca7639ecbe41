/**
 * The page's script: times in the reader's time zone, and new parts in the place of old ones as the stream sends them.
 * The server makes the parts, as it makes the page. A refused stream has a reason that the page will show.
 */
export const TRACKING_SCRIPT = `
'use strict';
const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const short = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
function localize(root) {
  for (const time of root.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    time.textContent = (at.toDateString() === new Date().toDateString() ? short : format).format(at);
  }
}
localize(document);
const followed = document.querySelector('[data-events]');
if (followed) {
  const source = new EventSource(followed.dataset.events);
  source.addEventListener('parts', ({ data }) => {
    for (const [id, html] of Object.entries(JSON.parse(data))) {
      const part = document.getElementById(id);
      if (!part) continue;
      part.innerHTML = html;
      localize(part);
    }
  });
  const again = document.getElementById('again');
  source.addEventListener('open', () => { again.hidden = true; });
  source.addEventListener('reload', () => location.reload());
  source.addEventListener('error', () => {
    again.hidden = false;
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 15000 + 15000 * Math.random());
  });
}
`;
