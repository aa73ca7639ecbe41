export function say(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}
