import { type Html, trusted } from '../../engine/views/parts/html.ts';

/** The dots of thermal printers, 203 to an inch: bars that are whole dots come out sharp. */
const DOT_MM = 0.125;
/** Narrower bars cannot be relied on to be read. */
const LEAST_MODULE_MM = 2 * DOT_MM;
const BARCODE_HEIGHT_MM = 13;
const QR_SIZE_MM = 26;

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

export interface CodeSymbols {
  /** Code 128 of a task's code; undefined where it cannot hold the text, or not within the width. */
  barcodeOf(code: string, widthMm: number): Html | undefined;
  /** A QR code of any text, which it holds in UTF-8. */
  qrCodeOf(text: string): Html;
}

/** Draws symbols of codes. Loads what draws them with its first call: few gateways do so at all, and none at its start. */
export async function openCodeSymbols(): Promise<CodeSymbols> {
  const { toSVG } = await import('bwip-js/node');
  return {
    barcodeOf(code, widthMm) {
      if (!PRINTABLE_ASCII.test(code)) return undefined;
      const svg = toSVG({ bcid: 'code128', text: code, scale: 1 });
      const modules = widthOf(svg);
      const module = wholeDots(widthMm / modules);
      return module < LEAST_MODULE_MM ? undefined : sized(svg, modules * module, BARCODE_HEIGHT_MM);
    },
    qrCodeOf(text) {
      const svg = toSVG({ bcid: 'qrcode', text, scale: 1 });
      // Two units of the drawing are a module.
      const modules = widthOf(svg) / 2;
      const size = modules * Math.max(wholeDots(QR_SIZE_MM / modules), LEAST_MODULE_MM);
      return sized(svg, size, size);
    },
  };
}

function wholeDots(mm: number): number {
  return Math.floor(mm / DOT_MM) * DOT_MM;
}

function widthOf(svg: string): number {
  return Number(/^<svg viewBox="0 0 (\d+) /.exec(svg)![1]);
}

/** The symbol at its size on paper. Its text is nowhere in it. */
function sized(svg: string, widthMm: number, heightMm: number): Html {
  const size = `width="${widthMm}mm" height="${heightMm}mm" preserveAspectRatio="none"`;
  return trusted(svg.replace('<svg ', `<svg ${size} shape-rendering="crispEdges" aria-hidden="true" `));
}
