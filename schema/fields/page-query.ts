import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { queryInteger } from './fields.ts';

/** The parameters of a list that is read page by page. Source: docs/contract.md §1 "Limits". */
export const pageQuery = {
  page: v.optional(queryInteger(1, Number.MAX_SAFE_INTEGER), '1'),
  limit: v.optional(queryInteger(1, LIMITS.pageSize), String(LIMITS.defaultPageSize)),
};

/** The last record of a page, of which the next one holds older ones: their ids are less. `what`: of which list it is. */
export function idCursor(what: string) {
  return v.pipe(
    v.string(),
    v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
      const before = Number(Buffer.from(dataset.value, 'base64url').toString('latin1'));
      if (Number.isSafeInteger(before) && before > 0 && formatIdCursor(before) === dataset.value) return before;
      addIssue({ message: `must be the nextCursor of a list of ${what}` });
      return NEVER;
    }),
  );
}

export function formatIdCursor(id: number): string {
  return Buffer.from(String(id)).toString('base64url');
}
