import { type Html, html } from '../../engine/views/parts/html.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type NoticeTemplates, type Placeholder, partsOfTemplate } from '../../schema/notices/notice-templates.ts';
import type { MailKind } from '../../schema/notices/notification.ts';
import { mailPage } from './mail-page.ts';
import { namePart, senderLinesOf } from './mail-sender-lines.ts';
import { etaText, type NoticeFacts, windowText } from './notice.ts';
import { cut, isolated, oneLine } from './one-line.ts';

export interface CustomerMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface MailWords {
  /** Where the organization's own words stand. */
  readonly template: keyof NoticeTemplates;
  readonly subject: string;
  readonly introduction: string;
  /** The label of the link. */
  readonly link: string;
}

const WORDS: Readonly<Record<MailKind, MailWords>> = {
  tracking_created: {
    template: 'created',
    subject: '{{organizationName}} has received your order {{taskCode}}',
    introduction: 'Hello {{customerName}},\n\n{{organizationName}} has received your order.',
    link: 'Follow your order',
  },
  tracking_on_the_way: {
    template: 'onTheWay',
    subject: 'Your order {{taskCode}} is on its way',
    introduction: 'Hello {{customerName}},\n\nyour order from {{organizationName}} is on its way.',
    link: 'Follow it live',
  },
  tracking_completed: {
    template: 'completed',
    subject: 'Your order {{taskCode}} is completed',
    introduction: 'Hello {{customerName}},\n\nyour order from {{organizationName}} is completed. Thank you.',
    link: 'See it and rate it',
  },
};

/**
 * A mail of the task to its customer, in the organization's words where it has some. Values in it stay texts, with any
 * content.
 */
export function customerMailOf(
  facts: NoticeFacts & { readonly kind: MailKind },
  templates: NoticeTemplates,
): CustomerMail {
  const words = WORDS[facts.kind];
  const own = templates[words.template];
  const values = valuesOf(facts);
  const introduction = (own?.introduction ?? words.introduction).replace(/\r\n?/g, '\n');
  const subject = cut(filledText(own?.subject ?? words.subject, values), LIMITS.mailSubjectChars);
  const details = detailsOf(facts);
  const link = values.trackingUrl === '' ? undefined : { url: values.trackingUrl, text: words.link };
  const sender = senderLinesOf(facts.letterhead);
  return {
    subject,
    text: textOf([
      filledText(introduction, values),
      details.map(([name, value]) => `${name}: ${isolated(value)}`).join('\n'),
      link && `${link.text}:\n${link.url}`,
      `${FOOTER} ${isolated(sender.name)}${sender.ways}.`,
    ]),
    html: mailPage({
      title: subject,
      sender: sender.name,
      paragraphs: introduction.split(/\n{2,}/).map((paragraph) => filledHtml(paragraph, values)),
      details,
      link,
      footer: html`${FOOTER} <span dir="auto">${sender.name}</span>${sender.ways}.`,
    }).toString(),
  };
}

const FOOTER = 'This address was given for an order. Answers to this mail are not read; please turn to';

type Values = Readonly<Record<Placeholder, string>>;

function valuesOf(facts: NoticeFacts): Values {
  const { letterhead, customerName, task } = facts;
  const { trackingUrl } = task;
  const value = (text: string) => oneLine(text, LIMITS.mailValueChars);
  return {
    customerName: namePart(customerName ?? '') || 'customer',
    taskCode: value(task.code),
    organizationName: namePart(letterhead.name),
    window: windowText(facts) ?? 'a time still to be agreed',
    trackingUrl: trackingUrl !== null && isWebAddress(trackingUrl) ? trackingUrl : '',
  };
}

function detailsOf(facts: NoticeFacts): readonly (readonly [name: string, value: string])[] {
  const { code, address } = facts.task;
  const details = [
    ['Order', oneLine(code, LIMITS.mailValueChars)],
    ['Time', windowText(facts) ?? ''],
    ['Expected', facts.kind === 'tracking_on_the_way' ? (etaText(facts) ?? '') : ''],
    ['Address', namePart(address ?? '')],
  ] as const;
  return details.filter(([, value]) => value !== '');
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/.test(text) && URL.canParse(text);
}

/** Each placeholder is filled once: what a value says in braces is text. */
function filledText(template: string, values: Values): string {
  const parts = partsOfTemplate(template);
  return parts.map((part, index) => (index % 2 === 1 ? isolated(values[part as Placeholder]) : part)).join('');
}

function filledHtml(template: string, values: Values): Html {
  const pieces = partsOfTemplate(template).map((part, index) => {
    if (index % 2 === 0) return part.split('\n').map((line, at) => html`${at > 0 && html`<br>`}${line}`);
    const value = values[part as Placeholder];
    return part === 'trackingUrl' ? html`<a href="${value}">${value}</a>` : html`<span dir="auto">${value}</span>`;
  });
  return html`${pieces}`;
}

function textOf(blocks: readonly (string | undefined)[]): string {
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}
