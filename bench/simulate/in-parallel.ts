/** Does `each` for all items, so many at a time, in their order. Rejects with the first failure, and then begins no more. */
export async function inParallel<T>(
  items: readonly T[],
  atATime: number,
  each: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const worker = async () => {
    while (next < items.length && !hasFailed) {
      try {
        await each(items[next++]!);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, worker));
}
