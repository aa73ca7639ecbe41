import type { Refusal } from '../../../schema/errors.ts';
import type { RandomSource } from '../../runtime/random.ts';
import type { IdKind } from '../../store/org-store.ts';
import type { Change } from '../changes.ts';

/** What a decision may use besides the state and the command. */
export interface DecideContext {
  /** ISO 8601; never before the organization's last change. */
  readonly now: string;
  readonly random: RandomSource;
  nextId(kind: IdKind): number;
}

/** Either changes to make, with the task to show for it, or a coded refusal. */
export type Decision =
  | {
      readonly ok: true;
      readonly changes: readonly Change[];
      readonly status: 200 | 201;
      readonly taskId: number | null;
    }
  | { readonly ok: false; readonly refusal: Refusal };

export function refuse(refusal: Refusal): Decision {
  return { ok: false, refusal };
}
