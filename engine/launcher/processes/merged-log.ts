import { prettyFactory } from 'pino-pretty';

export interface MergedLog {
  /** Takes the lines of the process `name`: pino's JSON is made readable, anything else goes through as it is. */
  from(name: string): (line: string) => void;
  /** A line of the launcher itself. */
  say(message: string): void;
}

/** As wide as the longest process name, so that the messages stand in one column. */
const NAME_COLUMNS = 8;
/** SGR codes, one per process in the order of their first line. */
const COLORS = [36, 33, 35, 32, 34, 31];

/** Merges the output of all processes into one readable stream, each line opened by the name of its process. */
export function createMergedLog(write: (text: string) => void, options: { colors: boolean }): MergedLog {
  const pretty = prettyFactory({
    colorize: options.colors,
    singleLine: true,
    ignore: 'pid,hostname,name',
    translateTime: 'SYS:HH:MM:ss.l',
  });
  const prefixes = new Map<string, string>();

  function prefixOf(name: string): string {
    let prefix = prefixes.get(name);
    if (prefix === undefined) {
      const color = COLORS[prefixes.size % COLORS.length];
      const padded = name.padEnd(NAME_COLUMNS);
      prefix = options.colors ? `\u001b[${color}m${padded}\u001b[39m | ` : `${padded} | `;
      prefixes.set(name, prefix);
    }
    return prefix;
  }

  function writeLines(name: string, text: string): void {
    const prefix = prefixOf(name);
    write(text.trimEnd().replace(/^/gm, prefix).concat('\n'));
  }

  return {
    from: (name) => (line) => {
      if (line.trim() === '') return;
      writeLines(name, isPinoRecord(line) ? pretty(line) : line);
    },
    say: (message) => writeLines('launcher', message),
  };
}

/** Other JSON, such as a bare number, would be turned inside out by pino-pretty. */
function isPinoRecord(line: string): boolean {
  return line.startsWith('{"level":') && line.endsWith('}');
}
