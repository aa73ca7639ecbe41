/** Something that the palette offers. */
export interface Command {
  /** Its own among those of one list: names are not. */
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** That do the same without the palette; empty for none. */
  readonly keys: string;
  /** Fits everything that is typed, and comes after the rest. */
  readonly isLast?: boolean;
  readonly run: () => void;
}

const SHOWN = 50;

/** Those whose name has every word that is typed, a word's beginning first; in their order otherwise. */
export function commandsFor(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const rankOf = ({ name, isLast }: Command): number | undefined => {
    if (isLast) return 2;
    const text = name.toLowerCase();
    if (!words.every((word) => text.includes(word))) return undefined;
    return words.every((word) => ` ${text}`.includes(` ${word}`)) ? 0 : 1;
  };
  return commands
    .map((command) => ({ command, rank: rankOf(command) }))
    .filter((each): each is { command: Command; rank: number } => each.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, SHOWN)
    .map(({ command }) => command);
}
