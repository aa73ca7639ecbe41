import { PAPER_FONTS } from '../../engine/views/parts/design-tokens.ts';
import { DIRECTED_TEXT_STYLE } from '../../engine/views/parts/directed-text.ts';
import type { PaperWidth } from '../../schema/customers/receipt.ts';

/** The printable width of a roll: 8 dots a millimetre. */
export const PRINTED_MM: Readonly<Record<PaperWidth, number>> = { '80mm': 72, '58mm': 48 };

const FONT_PT: Readonly<Record<PaperWidth, number>> = { '80mm': 9.5, '58mm': 8.5 };

/**
 * The style sheet of receipts for a roll. Paper comes in pages even there, so a receipt begins a page, which is long enough
 * for most of them, and pieces of one stay together.
 */
export function receiptStyle(width: PaperWidth): string {
  return `
@page { size: ${width} 297mm; margin: 0; }
* { box-sizing: border-box; margin: 0; padding: 0; }
html { background: #fff; color: #000; }
body { font: ${FONT_PT[width]}pt/1.35 ${PAPER_FONTS}; }
.receipt { width: ${width}; padding: 3mm calc((${width} - ${PRINTED_MM[width]}mm) / 2) 6mm; break-after: page; overflow: clip; }
.receipt:last-child { break-after: auto; }
header, footer { text-align: center; break-inside: avoid; }
h1 { font-size: 13pt; line-height: 1.25; }
h2 { font-size: 8pt; letter-spacing: .04em; text-transform: uppercase; margin-bottom: .5mm; break-after: avoid; }
section { border-top: .3mm dashed #000; margin-top: 2.5mm; padding-top: 2mm; }
h1, p, dd { overflow-wrap: anywhere; overflow: clip; overflow-clip-margin: 1mm; orphans: 2; widows: 2; }
.text { white-space: pre-wrap; }
.name { font-weight: bold; }
.barcode { margin: 2.5mm 0 1mm; }
.qr { margin: 4mm 0 1.5mm; }
${DIRECTED_TEXT_STYLE}
svg { display: block; margin: 0 auto; max-width: 100%; }
.code { font: bold 10pt/1.3 "DejaVu Sans Mono", monospace; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); column-gap: 2mm; }
dd { text-align: right; }
ul { list-style: none; }
li { break-inside: avoid-page; }
li + li { margin-top: 1.5mm; }
.amount { font-size: 14pt; font-weight: bold; text-align: right; line-height: 1.25; }
.small { font-size: .85em; }
.moment { white-space: nowrap; font-size: .9em; }
@media screen {
  html { background: #d9d9d9; }
  body { padding: 4mm 0; }
  .receipt { background: #fff; margin: 0 auto 4mm; }
}
`;
}
