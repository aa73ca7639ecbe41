import { LIMITS } from '../../../schema/limits.ts';
import type { KeptBounds } from './kept-answers.ts';

/** How much a process keeps in memory of what it could read again. */
export interface MemoryBounds {
  /** Tasks of all organizations together. Past it each keeps no more than LIMITS.liveTasksPerOrganization. */
  readonly tasks: number;
  /** UTF-16 units of the answers to reads of tasks. */
  readonly shownChars: number;
  /** Bytes of the tasks that pages have shown. */
  readonly listedBytes: number;
}

/** The records that one organization keeps. */
export interface StateBounds {
  readonly tasks: number;
  /** How many of those are passing: nobody has asked for them again. */
  readonly passingTasks: number;
  /** Beside those of its tasks. */
  readonly customers: number;
  readonly agents: number;
  readonly keptAnswers: KeptBounds;
  /** Records of any other kind. */
  readonly others: number;
}

/** Shares of the heap that V8 allows a process: it follows the machine, its container and --max-old-space-size. */
export function boundsOfHeap(heapBytes: number): MemoryBounds {
  return {
    tasks: Math.floor((heapBytes * LIMITS.tasksShareOfHeap) / LIMITS.liveTaskBytes),
    shownChars: Math.floor(heapBytes * LIMITS.shownTasksShareOfHeap),
    listedBytes: Math.floor(heapBytes * LIMITS.listedTasksShareOfHeap),
  };
}

/** The bounds of an organization that keeps `ownTasks`. `spareTasks`: how many more the process may keep; negative when it keeps too many. */
export function boundsOfState(ownTasks: number, spareTasks: number): StateBounds {
  return {
    tasks: Math.max(LIMITS.liveTasksPerOrganization, ownTasks + spareTasks),
    passingTasks: LIMITS.liveTasksPerOrganization,
    customers: LIMITS.liveCustomersPerOrganization,
    agents: LIMITS.liveAgentsPerOrganization,
    keptAnswers: { keys: LIMITS.keptAnswersInMemory, chars: LIMITS.keptAnswerCharsInMemory },
    others: LIMITS.liveTasksPerOrganization,
  };
}
