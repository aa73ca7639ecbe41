const MOST_CHARS = 200;
/** Only so much of a line that does not fit at all is shown: the rest changes more often. */
const LONG_LINE_CHARS = 60;

/**
 * A short beginning of a text: of a page up to its title, because an edit of how it looks leaves that alone; of anything
 * else the first lines.
 */
export function beginningOf(text: string): string {
  const page = /^<!doctype html>.*?<\/title>/s.exec(text)?.[0];
  return `${page ?? firstLines(text)}…`;
}

function firstLines(text: string): string {
  let shown = '';
  for (const line of text.split('\n', MOST_CHARS)) {
    if (line.length > MOST_CHARS) return shown + line.slice(0, LONG_LINE_CHARS);
    if (shown.length + line.length > MOST_CHARS) break;
    shown += `${line}\n`;
  }
  return shown;
}
