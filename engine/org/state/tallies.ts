import { isTerminal, type TaskRecord } from '../../../schema/tasks/task.ts';
import type { OrganizationHead } from '../../store/actor/actor-store.ts';
import { isMoving } from './moving-places.ts';

/** Numbers that an organization is known by beside its records: its usage, and how many of its tasks are open and moving. */
export class Tallies {
  openTasks: number;
  movingTasks: number;
  readonly #usage = new Map<string, number>();

  constructor({ openTasks, movingTasks, usage }: Pick<OrganizationHead, 'openTasks' | 'movingTasks' | 'usage'>) {
    this.openTasks = openTasks;
    this.movingTasks = movingTasks;
    for (const { resource, period, used } of usage) this.use(resource, period, used);
  }

  /** A change of a task; `before` is undefined for a new one. */
  countTask(before: TaskRecord | undefined, after: TaskRecord): void {
    const wasOpen = before !== undefined && !isTerminal(before.status);
    this.openTasks += Number(!isTerminal(after.status)) - Number(wasOpen);
    this.movingTasks += Number(isMoving(after)) - Number(before !== undefined && isMoving(before));
  }

  use(resource: string, period: string, used: number): void {
    this.#usage.set(`${resource} ${period}`, used);
  }

  usedOf(resource: string, period: string): number {
    return this.#usage.get(`${resource} ${period}`) ?? 0;
  }
}
