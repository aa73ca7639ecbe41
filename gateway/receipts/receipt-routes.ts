import { type ReceiptQuery, type ReceiptsQuery, receiptQuery, receiptsQuery } from '../../schema/customers/receipt.ts';
import { pageHeaders } from '../pages/page-headers.ts';
import { may, type ParsedRequest, type RawRoute } from '../route.ts';
import type { ReceiptPrinter } from './receipt-printer.ts';
import { receiptStyle } from './receipt-style.ts';

/** Receipts for thermal printers. Source: docs/contract.md §7 "Receipts". */
export function receiptRoutes(printer: ReceiptPrinter): RawRoute[] {
  const printing = (taskIdsOf: (request: ParsedRequest) => readonly number[]) =>
    ({
      kind: 'raw',
      method: 'GET',
      place: 'api',
      bare: true,
      guard: may('tasks:read'),
      answers: 'text/html',
      async handle(request, reply) {
        const { width } = request.query as ReceiptQuery;
        const page = await printer.print(request.identity, taskIdsOf(request), width);
        reply.send(200, [...pageHeaders({ style: receiptStyle(width) }), ...request.replyHeaders], page);
      },
    }) satisfies Partial<RawRoute>;
  return [
    {
      ...printing(({ params }) => [params['id']!]),
      path: '/tasks/:id/print/receipt',
      query: { schema: receiptQuery, lists: new Set() },
      summary: 'The receipt of a task, for a printer with paper of 80 mm or 58 mm',
      refusals: ['404', '503 OVERLOADED'],
    },
    {
      ...printing(({ query }) => idsOf(query)),
      extraCost: (query) => idsOf(query).length - 1,
      path: '/tasks/print/receipts',
      query: { schema: receiptsQuery, lists: new Set(['ids']) },
      summary: 'The receipts of up to 100 tasks in one document: all of them or none',
      refusals: ['404', '409 TASK_TOO_LARGE', '503 OVERLOADED'],
    },
  ];
}

function idsOf(query: unknown): number[] {
  return [...new Set((query as ReceiptsQuery).ids)];
}
