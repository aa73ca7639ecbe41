import * as v from 'valibot';
import { queryInteger } from './fields.ts';
import { LIMITS } from './limits.ts';

/** The parameters of a list that is read page by page. Source: interface.md "Limits". */
export const pageQuery = {
  page: v.optional(queryInteger(1, Number.MAX_SAFE_INTEGER), '1'),
  limit: v.optional(queryInteger(1, LIMITS.pageSize), String(LIMITS.defaultPageSize)),
};
