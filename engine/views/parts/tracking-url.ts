import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { findTrackingToken, trackingTokenOf } from '../../domain/tasks/tracking-token.ts';

const PREFIX = '/t/';

/** Returns the URL path of the task's tracking page. */
export function trackingUrlOf(task: Pick<TaskRecord, 'organizationId' | 'id' | 'trackingToken'>): string {
  return `${PREFIX}${trackingTokenOf(task)}`;
}

/** A link as JSON of a task has it, up to its token. */
const LINK = `"trackingUrl":"${PREFIX}`;
/** The integrator's own data, in which a field may have that name too. */
const OWN_DATA = '"integrationData":{';
/** The end of an object depends on its braces, and on texts, in which braces count for nothing. */
const BRACES_AND_TEXTS = /[{}]|"[^"\\]*(?:\\.[^"\\]*)*"/g;

/**
 * Returns JSON with tasks in it, as for agents: the link of each task and child is an empty text, every other byte stays.
 * A quote inside of a text is escaped, so what is found is a field and never a part of a text.
 */
export function withoutTrackingLinks(json: string): string {
  let blanked = '';
  let copied = 0;
  let link = json.indexOf(LINK);
  let ownData = json.indexOf(OWN_DATA);
  while (link !== -1) {
    if (ownData !== -1 && ownData < link) {
      const end = endOfObject(json, ownData + OWN_DATA.length);
      ownData = json.indexOf(OWN_DATA, end);
      if (link < end) link = json.indexOf(LINK, end);
    } else {
      const token = link + LINK.length;
      blanked += json.slice(copied, token - PREFIX.length);
      copied = json.indexOf('"', token);
      link = json.indexOf(LINK, copied);
    }
  }
  return blanked + json.slice(copied);
}

/** The place behind an object whose fields begin at a place. */
function endOfObject(json: string, start: number): number {
  BRACES_AND_TEXTS.lastIndex = start;
  let depth = 1;
  while (depth > 0) {
    const [part] = BRACES_AND_TEXTS.exec(json)!;
    if (part === '{') depth += 1;
    else if (part === '}') depth -= 1;
  }
  return BRACES_AND_TEXTS.lastIndex;
}

/** Returns the secret token in a tracking URL. */
export function secretOf(trackingUrl: string): string {
  const token = findTrackingToken(trackingUrl.slice(PREFIX.length));
  if (!token) throw new Error(`${PREFIX}… is no tracking link`);
  return token.secret;
}
