import { type Mutation, mutationsOf } from '../mutation.ts';

const CURSORS = ['api/lists/record-cursors'];

/** Faults in lists of records, and in their cursors. */
export const RECORD_LISTS: readonly Mutation[] = [
  ...mutationsOf('schema/fields/page-query.ts', CURSORS, [
    ['key === listKey && isTime', 'isTime', 'A cursor of one list is none of another.'],
    ['[...new Set(value)].sort()', 'value', 'A cursor is the same however its filters were written.'],
    ['if (page !== undefined) addIssue(', 'if (page === 0) addIssue(', 'A cursor and a page do not come together.'],
  ]),
  ...mutationsOf(
    'schema/fields/page-query.ts',
    ['api/lists/cursor-places'],
    [['key === listKey && isId', 'isId', 'A cursor of notices or deliveries goes on with the same filters alone.']],
  ),
  ...mutationsOf(
    'gateway/list-cursor.ts',
    ['api/lists/cursor-places'],
    [
      ['cursor.slice(end + 1) === mark', 'end > 0', 'A cursor goes on in its own list alone.'],
      ['[organizationId, route.path', '[route.path', 'A cursor of one organization is none of another.'],
      ['{ ...own, ...params }', 'own', 'A cursor of the list of one record is none of another.'],
      ['if (end === -1) return cursor;', "if (end === -1) return '';", 'A cursor from before an upgrade goes on.'],
    ],
  ),
  ...mutationsOf('engine/store/list-page.ts', CURSORS, [
    ['rows.length > limit ?', 'rows.length >= limit ?', 'The last page has no cursor.'],
    ['HH24:MI:SS.US"Z"', 'HH24:MI:SS.MS"000Z"', 'Records of one millisecond are not passed over.'],
    ['sql`AND (${at}, ${id}) <', 'sql`AND (${at}, ${id}) <=', 'A cursor goes on behind its record.'],
  ]),
];
