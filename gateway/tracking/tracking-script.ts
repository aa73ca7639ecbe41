/**
 * The page's script: new parts in the place of old ones as the stream sends them. The server makes the parts, as it makes
 * the page. The page loads again, once nobody is writing in it, when the stream is refused, which has a reason that the page
 * will show, when the stream says so, when it gets a part in which somebody is writing, or the status of a task for which it
 * has no place, as of one that has joined a job, and on another day of its zone, since times are without a date while they
 * are of today.
 */
export const TRACKING_SCRIPT = `
'use strict';
const followed = document.querySelector('[data-events]');
if (followed) {
  const source = new EventSource(followed.dataset.events);
  const dayIn = (timeZone) => new Date().toLocaleDateString('en', { timeZone });
  const today = () => {
    try {
      return dayIn(followed.dataset.zone);
    } catch {
      // An old browser does not know the zone.
      return dayIn('UTC');
    }
  };
  const day = today();
  let isOld = false;
  const isWritingIn = (part) => [...part.querySelectorAll('textarea')].some(({ value }) => value !== '');
  const renew = () => {
    if (isWritingIn(document) || (!isOld && today() === day)) return;
    // Further parts would begin the loading again.
    source.close();
    location.reload();
  };
  setInterval(renew, 30000);
  source.addEventListener('parts', ({ data }) => {
    for (const [id, html] of Object.entries(JSON.parse(data))) {
      const part = id === 'title' ? document.querySelector(id) : document.getElementById(id);
      if (!part) isOld ||= id.startsWith('status-');
      else if (isWritingIn(part)) isOld = true;
      else part.innerHTML = html;
    }
    renew();
  });
  const again = document.getElementById('again');
  source.addEventListener('open', () => { again.hidden = true; });
  source.addEventListener('reload', () => {
    isOld = true;
    renew();
  });
  source.addEventListener('error', () => {
    again.hidden = false;
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      isOld = true;
      renew();
    }, 15000 + 15000 * Math.random());
  });
}
`;
