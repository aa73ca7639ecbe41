import * as v from 'valibot';
import { oneOf, queryIds } from '../fields/fields.ts';

/** The rolls of paper that receipts are printed on. */
export const PAPER_WIDTHS = ['80mm', '58mm'] as const;
export type PaperWidth = (typeof PAPER_WIDTHS)[number];

const width = v.optional(oneOf(PAPER_WIDTHS), '80mm');

export const receiptQuery = v.object({ width });
export type ReceiptQuery = v.InferOutput<typeof receiptQuery>;

/** The query of GET /tasks/print/receipts: an id that is named twice is printed once. */
export const receiptsQuery = v.object({
  ids: v.pipe(queryIds, v.minLength(1, 'must hold at least one id')),
  width,
});
export type ReceiptsQuery = v.InferOutput<typeof receiptsQuery>;
