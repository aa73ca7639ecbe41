import type { PackageRecord } from '../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { DEFAULT_MINUTES } from '../tasks/delay.ts';
import type { Load, Slot } from './round-view.ts';

const CM3_PER_M3 = 1_000_000;

/** Packages that nobody carries any more. */
const UNLOADED: ReadonlySet<string> = new Set(['cancelled', 'returned', 'lost']);

/** The weight and the volume of a task's packages; weight and sizes are per piece, and 0 where they are unknown. */
export function loadOf(packages: readonly PackageRecord[]): Load {
  let [weightKg, volumeM3, count] = [0, 0, 0];
  for (const { status, quantity, weight, width, height, length } of packages) {
    if (UNLOADED.has(status)) continue;
    weightKg += within(weight) * quantity;
    volumeM3 += ((within(width) * within(height) * within(length)) / CM3_PER_M3) * quantity;
    count += quantity;
  }
  return { weightKg, volumeM3, packages: count };
}

/** Beyond any package there is: products of such numbers stay numbers. */
const MOST = 1e9;

function within(given: number | null): number {
  return Math.min(given ?? 0, MOST);
}

export function sumOf(loads: Iterable<Load>): Load {
  let [weightKg, volumeM3, packages] = [0, 0, 0];
  for (const load of loads) {
    weightKg += load.weightKg;
    volumeM3 += load.volumeM3;
    packages += load.packages;
  }
  return { weightKg, volumeM3, packages };
}

/** The time that a scheduled task holds for itself; one that is wanted as soon as may be holds none. */
export function slotOf({
  timeToServe,
  scheduledAt,
  estimatedDuration,
}: Pick<TaskRecord, 'timeToServe' | 'scheduledAt' | 'estimatedDuration'>): Slot | null {
  if (timeToServe !== 'scheduled' || scheduledAt === null) return null;
  const from = Date.parse(scheduledAt);
  return { from, until: from + (estimatedDuration ?? DEFAULT_MINUTES.scheduled) * 60_000 };
}
