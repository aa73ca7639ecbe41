import { FONTS, LIGHT } from '../../engine/views/parts/design-tokens.ts';
import { type Html, html, type Piece } from '../../engine/views/parts/html.ts';

interface MailPage {
  readonly title: string;
  /** Whose mail it is. */
  readonly sender: string;
  readonly paragraphs: readonly Html[];
  readonly details: readonly (readonly [name: string, value: string])[];
  /** An address of ours. */
  readonly link: { readonly url: string; readonly text: string } | undefined;
  readonly footer: Html;
}

const FONT = `font-family:${FONTS.replaceAll('"', "'")};`;
const WRAP = 'overflow-wrap:anywhere;word-break:break-word;';

/**
 * A mail as mail programs show it: tables and styles in the elements, which every program knows; nothing is fetched for
 * it, and nothing runs in it. Each text of a person takes its direction from its content.
 */
export function mailPage({ title, sender, paragraphs, details, link, footer }: MailPage): Html {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<meta name="color-scheme" content="light">
<title>${title}</title>
</head>
<body style="margin:0;padding:0;background:${LIGHT.ground};">
${table(
  `background:${LIGHT.ground};`,
  html`<tr><td align="center" style="padding:24px 12px;">
${table(
  `max-width:560px;background:${LIGHT.card};border:1px solid ${LIGHT.line};border-radius:12px;${FONT}font-size:16px;line-height:1.5;color:${LIGHT.text};`,
  html`<tr><td dir="auto" style="padding:20px 24px 0;font-size:14px;color:${LIGHT.soft};${WRAP}">${sender}</td></tr>
<tr><td style="padding:8px 24px 0;${WRAP}">${paragraphs.map(
    (paragraph) => html`<p dir="auto" style="margin:12px 0;">${paragraph}</p>`,
  )}</td></tr>
<tr><td style="padding:8px 24px;">${table('', details.map(detailRow))}</td></tr>
${link && linkRow(link)}
<tr><td style="padding:16px 24px 20px;font-size:13px;color:${LIGHT.soft};${WRAP}">${footer}</td></tr>`,
)}
</td></tr>`,
)}
</body>
</html>
`;
}

function table(style: string, rows: Piece): Html {
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="width:100%;${style}">
${rows}
</table>`;
}

function detailRow([name, value]: readonly [string, string]): Html {
  return html`<tr><td width="90" style="padding:4px 12px 4px 0;color:${LIGHT.soft};vertical-align:top;">${name}</td><td dir="auto" style="padding:4px 0;vertical-align:top;${WRAP}">${value}</td></tr>
`;
}

function linkRow({ url, text }: { readonly url: string; readonly text: string }): Html {
  return html`<tr><td style="padding:8px 24px;">
<a href="${url}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:${LIGHT.accent};color:${LIGHT.onAccent};font-weight:600;text-decoration:none;">${text}</a></td></tr>`;
}
