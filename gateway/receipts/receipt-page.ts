import { formatMinor } from '../../engine/domain/money/money.ts';
import { directedText } from '../../engine/views/parts/directed-text.ts';
import { type Html, html, type Piece } from '../../engine/views/parts/html.ts';
import { type LocalTime, localTimeIn } from '../../engine/views/parts/local-time.ts';
import type { Letterhead } from '../../schema/accounts/letterhead.ts';
import type { UserView } from '../../schema/customers/customer.ts';
import type { LocationView } from '../../schema/customers/location.ts';
import type { PaperWidth } from '../../schema/customers/receipt.ts';
import { isBlank } from '../../schema/fields/fields.ts';
import type { PaymentRecord } from '../../schema/money/payment.ts';
import type { PackageView } from '../../schema/tasks/package.ts';
import type { TaskView } from '../../schema/tasks/task-view.ts';
import type { CodeSymbols } from '../pages/code-symbols.ts';
import { type PageKind, pageKind } from '../pages/page-kind.ts';
import { PRINTED_MM, receiptStyle } from './receipt-style.ts';

/** The common part of all receipts of one printing. */
export interface Printing {
  readonly letterhead: Letterhead;
  readonly width: PaperWidth;
  /** ISO 8601. */
  readonly printedAt: string;
  readonly symbols: CodeSymbols;
}

/** A task, with the payment that it names. */
export interface PrintedTask {
  readonly task: TaskView;
  readonly payment: PaymentRecord | undefined;
}

/** Paper of each width, with a style of its own. */
const PAPER: Readonly<Record<PaperWidth, PageKind>> = {
  '80mm': pageKind({ style: receiptStyle('80mm') }),
  '58mm': pageKind({ style: receiptStyle('58mm') }),
};

/** The headers of a document of receipts. */
export function receiptHeaders(width: PaperWidth): PageKind['headers'] {
  return PAPER[width].headers;
}

/** The document around receipts. */
export function receiptPage(width: PaperWidth, receipts: readonly Html[]): string {
  const title = receipts.length === 1 ? 'Receipt' : `${receipts.length} receipts`;
  return PAPER[width].document({ title, body: html`${receipts}` });
}

/**
 * The receipt of a task. Every text of a record has an element of its own that takes its direction from what it says, so
 * that neither it nor a control character in it can turn what stands beside it around.
 */
export function receiptOf({ task, payment }: PrintedTask, printing: Printing): Html {
  const { letterhead, width, printedAt, symbols } = printing;
  const { name, contact } = letterhead;
  const times = localTimeIn(letterhead.timeZone);
  const barcode = symbols.barcodeOf(task.code, PRINTED_MM[width]);
  return html`<article class="receipt">
<header>
<h1 dir="auto">${directedText(name)}</h1>
${[contact.phone, contact.email].map((way) => way !== null && html`<p class="small" dir="ltr">${way}</p>`)}
<p>${TASK_TYPES[task.taskType]}</p>
${barcode && html`<div class="barcode">${barcode}</div>`}
<p class="code" dir="auto">${directedText(task.code)}</p>
</header>
${section(
  'Task',
  html`<p class="name" dir="auto">${directedText(task.name)}</p>
<dl>${statusOf(task)}${timesOf(task, times)}</dl>`,
)}
${task.customer && section('Customer', personOf(task.customer.user))}
${task.contact && section('Contact', contactOf(task.contact))}
${task.pickupLocation && section('From', placeOf(task.pickupLocation))}
${task.location && section(task.pickupLocation ? 'To' : 'Address', placeOf(task.location))}
${task.agent && section('Driver', html`<p dir="auto">${directedText(nameOf(task.agent.user))}</p>`)}
${packagesOf(task.packages)}
${partsOf(task.children)}
${amountOf(task)}
${payment && paymentOf(payment)}
${textOf('Description', task.description)}
${textOf('Notes', task.notes)}
<footer>
<div class="qr">${symbols.qrCodeOf(task.code)}</div>
<p class="small">Printed ${times.stamp(printedAt)}. Times in ${times.name}</p>
</footer>
</article>
`;
}

const TASK_TYPES: Readonly<Record<TaskView['taskType'], string>> = {
  delivery: 'Delivery',
  pickup: 'Pickup',
  return: 'Return',
  transfer: 'Transfer',
  cash_collection: 'Cash collection',
  cash_drop: 'Cash drop',
};

const STATUSES: Readonly<Record<TaskView['status'], string>> = {
  new: 'New',
  awaiting_assignment: 'Awaiting assignment',
  assigned: 'Assigned',
  accepted: 'Accepted',
  in_transit: 'In transit',
  completed: 'Completed',
  cancelled: 'Cancelled',
};

function section(title: string, content: Piece): Html {
  return html`<section>
<h2>${title}</h2>
${content}
</section>`;
}

function field(name: string, value: Piece): Html {
  return html`<dt>${name}</dt><dd dir="auto">${typeof value === 'string' ? directedText(value) : value}</dd>`;
}

function textOf(title: string, text: string | null): Piece {
  return (
    text !== null &&
    text.trim() !== '' &&
    section(title, html`<p class="text" dir="auto">${directedText(paragraphsOf(text))}</p>`)
  );
}

/** Lines as they were written, but no two blank ones in a row: they cost paper. */
function paragraphsOf(text: string): string {
  const lines = text.trim().split('\n');
  return lines.filter((line, index) => line.trim() !== '' || lines[index - 1]?.trim() !== '').join('\n');
}

function statusOf({ status, outcome, failureReason }: TaskView): Piece {
  if (outcome !== 'failed') return field('Status', STATUSES[status]);
  return [field('Status', 'Failed'), failureReason !== null && field('Reason', failureReason)];
}

function amountOf({ amount, currency }: Pick<TaskView, 'amount' | 'currency'>): Piece {
  return amount !== null && section('Amount', html`<p class="amount">${amount} ${currency}</p>`);
}

const PAYMENT_STATUSES: Readonly<Record<PaymentRecord['status'], string>> = {
  pending: 'not paid yet',
  succeeded: 'paid',
  failed: 'not paid',
  refunded: 'refunded',
};
const PAYMENT_METHODS: Readonly<Record<PaymentRecord['method'], string>> = {
  online: 'Online',
  cash: 'Cash',
  wallet: 'Wallet',
};

function paymentOf({ method, status, amountMinor, currency, reference }: PaymentRecord): Html {
  return section(
    'Payment',
    html`<p class="amount">${formatMinor(amountMinor, currency)} ${currency}</p>
<dl>${field(PAYMENT_METHODS[method], PAYMENT_STATUSES[status])}${reference !== null && !isBlank(reference) && field('Reference', reference)}</dl>`,
  );
}

/** The times that matter to the holder of the paper. */
function timesOf(task: TaskView, times: LocalTime): Piece {
  const moments: readonly (readonly [name: string, at: string | null])[] = [
    ['Created', task.createdAt],
    ['Ready', task.readyAt],
    ['Scheduled', task.scheduledAt],
    ['From', task.windowStart],
    ['Until', task.windowEnd],
    ['Completed', task.completedAt],
  ];
  return moments.map(([name, at]) => at !== null && field(name, html`<span class="moment">${times.stamp(at)}</span>`));
}

function nameOf({ firstName, lastName }: UserView): string {
  return `${firstName} ${lastName}`.trim();
}

function personOf(user: UserView): Piece {
  const phone = user.phoneNumber === null ? null : `${user.countryCode} ${user.phoneNumber}`;
  return html`<p class="name" dir="auto">${directedText(nameOf(user))}</p>
${phone !== null && html`<p dir="ltr">${phone}</p>`}
${user.email !== null && html`<p dir="ltr">${user.email}</p>`}`;
}

/** The person to meet instead of the customer. */
function contactOf({ name, phone }: NonNullable<TaskView['contact']>): Html {
  return html`<p class="name" dir="auto">${directedText(name)}</p>
<p dir="ltr">${phone}</p>`;
}

function placeOf({ address, building, floor, apartment }: LocationView): Piece {
  const details = [
    ['Building', building],
    ['Floor', floor],
    ['Apartment', apartment],
  ] as const;
  const known = details.filter(([, value]) => value !== null && value.trim() !== '');
  return html`<p dir="auto">${directedText(address)}</p>
${known.length > 0 && html`<dl>${known.map(([name, value]) => field(name, value))}</dl>`}`;
}

function packagesOf(packages: readonly PackageView[]): Piece {
  if (packages.length === 0) return null;
  const pieces = packages.reduce((sum, { quantity }) => sum + quantity, 0);
  return section(
    `Packages (${pieces} ${pieces === 1 ? 'piece' : 'pieces'})`,
    html`<ul>${packages.map(
      (parcel) => html`<li>
<p dir="auto"><bdi class="name">${parcel.quantity} ×</bdi> <bdi>${directedText(parcel.name)}</bdi></p>
${linesOf(parcel).map((line) => html`<p class="small" dir="auto">${directedText(line)}</p>`)}
</li>`,
    )}</ul>`,
  );
}

/** The facts of a package besides its name. */
function linesOf({ name, description, weight, isFragile, barcode, notes }: PackageView): string[] {
  const lines = [
    description === name ? null : description,
    weight === null ? null : `${weight} kg each`,
    isFragile ? 'Fragile' : null,
    barcode,
    notes,
  ];
  return lines.filter((line) => line !== null && line.trim() !== '') as string[];
}

function partsOf(children: TaskView['children']): Piece {
  if (children.length === 0) return null;
  return section(
    `Stops (${children.length})`,
    html`<ul>${children.map(
      (child) => html`<li>
<p dir="auto"><bdi class="name">${directedText(child.code)}</bdi> <bdi>${directedText(child.name)}</bdi></p>
${child.location && html`<p class="small" dir="auto">${directedText(child.location.address)}</p>`}
${child.amount !== null && html`<p class="small">${child.amount} ${child.currency}</p>`}
</li>`,
    )}</ul>`,
  );
}
