import { type ReceiptQuery, type ReceiptsQuery, receiptQuery, receiptsQuery } from '../../schema/customers/receipt.ts';
import type { Reply } from '../http/port.ts';
import { may, type ParsedRequest, type RawRoute, rawRoute } from '../route.ts';
import { receiptHeaders } from './receipt-page.ts';
import type { ReceiptPrinter } from './receipt-printer.ts';

/** Receipts for thermal printers. Source: docs/contract.md §7 "Receipts". */
export function receiptRoutes(printer: ReceiptPrinter): RawRoute[] {
  return [
    rawRoute({
      ...PRINTING,
      path: '/tasks/:id/print/receipt',
      query: { schema: receiptQuery, lists: new Set() },
      summary: 'The receipt of a task, for a printer with paper of 80 mm or 58 mm',
      refusals: ['404', '503 OVERLOADED'],
      handle: (request, reply) => print(printer, request, reply, [request.params.id]),
    }),
    rawRoute({
      ...PRINTING,
      path: '/tasks/print/receipts',
      query: { schema: receiptsQuery, lists: new Set(['ids']) },
      extraCost: (query) => idsOf(query).length - 1,
      summary: 'The receipts of up to 100 tasks in one document: all or none',
      refusals: ['404', '409 TASK_TOO_LARGE', '503 OVERLOADED'],
      handle: (request, reply) => print(printer, request, reply, idsOf(request.query)),
    }),
  ];
}

const PRINTING = {
  method: 'GET',
  place: 'api',
  bare: true,
  guard: may('tasks:read'),
  answers: 'text/html',
} as const;

async function print(
  printer: ReceiptPrinter,
  { identity, query: { width }, replyHeaders }: ParsedRequest<unknown, ReceiptQuery>,
  reply: Reply,
  taskIds: readonly number[],
): Promise<void> {
  const page = await printer.print(identity, taskIds, width);
  reply.send(200, [...receiptHeaders(width), ...replyHeaders], page);
}

function idsOf({ ids }: ReceiptsQuery): number[] {
  return [...new Set(ids)];
}
