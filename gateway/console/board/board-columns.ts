import { giveTo, lookFor, unassign } from '../actions/act.ts';
import { askForCourier } from '../actions/dialog-state.ts';
import type { BoardPart, Courier, TaskRow } from '../live/protocol.ts';
import { text } from '../text/english.ts';
import { boardText } from '../text/english-board.ts';
import { canBeAssigned, canBeGivenTo, canBeLookedFor, canBeTakenBack } from './drop-rules.ts';

/** The effect of a drop, and the tasks that it fits. */
interface Drop {
  readonly fits: (row: TaskRow) => boolean;
  readonly take: (ids: readonly number[]) => void;
}

/** A column as it is shown: also one without tasks has its place. */
export interface ShownColumn {
  readonly key: string;
  readonly title: string;
  /** Words for a column without tasks. */
  readonly empty: string;
  /** Undefined where a task cannot be dropped. */
  readonly drop: Drop | undefined;
}

type Stage = keyof typeof boardText.stages;

/** The other stages are reached by the courier alone. */
const DROPS: Readonly<Partial<Record<Stage, Drop>>> = {
  unassigned: { fits: canBeTakenBack, take: (ids) => void unassign(ids) },
  awaiting_assignment: { fits: canBeLookedFor, take: (ids) => void lookFor(ids) },
  assigned: { fits: canBeAssigned, take: (ids) => askForCourier([...ids]) },
};

export function stageColumns(): ShownColumn[] {
  return (Object.keys(boardText.stages) as Stage[]).map((key) => ({
    key,
    title: boardText.stages[key],
    empty: boardText.empty[key],
    drop: DROPS[key],
  }));
}

/** Unassigned tasks, then a column for each courier that is on duty or has tasks. */
export function courierColumns(couriers: readonly Courier[], board: BoardPart | undefined): ShownColumn[] {
  const filled = new Set(board?.columns.map(({ key }) => key));
  const fixed = (key: 'unassigned' | 'done' | 'external' | 'jobs', title: string, drop?: Drop) => ({
    key,
    title,
    empty: key === 'external' || key === 'jobs' ? '' : boardText.empty[key],
    drop,
  });
  const own = couriers
    .map(({ id, name, onDuty }) => ({
      key: `agent-${id}`,
      title: name,
      empty: onDuty ? boardText.empty.courier : boardText.empty.offDuty,
      drop: { fits: canBeGivenTo(id), take: (ids: readonly number[]) => void giveTo(ids, id) },
      isShown: onDuty || filled.has(`agent-${id}`),
    }))
    .filter(({ isShown }) => isShown);
  return [
    fixed('unassigned', boardText.stages.unassigned, DROPS.unassigned),
    ...own,
    ...(filled.has('external') ? [fixed('external', text.list.external)] : []),
    ...(filled.has('jobs') ? [fixed('jobs', text.list.jobs)] : []),
    fixed('done', boardText.stages.done),
  ];
}
