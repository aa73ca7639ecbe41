import * as v from 'valibot';
import { requiredText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { LIMITS } from '../limits.ts';

/** The names that a template may hold in double braces; their values are known when the mail is written. */
export const PLACEHOLDERS = ['customerName', 'taskCode', 'organizationName', 'window', 'trackingUrl'] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

const PLACEHOLDER = new RegExp(`(?<!\\{)\\{\\{\\s*(${PLACEHOLDERS.join('|')})\\s*\\}\\}(?!\\})`);

/** Texts and the placeholders between them, in turn; a text comes first and last, and may be empty. */
export function partsOfTemplate(template: string): readonly string[] {
  return template.split(PLACEHOLDER);
}

function templateText(maxChars: number) {
  return v.pipe(
    requiredText(maxChars),
    v.check(
      (template) => partsOfTemplate(template).every((part, index) => index % 2 === 1 || !/\{\{|\}\}/.test(part)),
      `must have in double braces nothing but ${PLACEHOLDERS.join(', ')}`,
    ),
  );
}

const words = named(
  'NoticeWords',
  v.object(
    {
      subject: v.nullish(
        v.pipe(
          templateText(LIMITS.mailSubjectChars),
          v.check((subject) => !/[\p{Cc}\u2028\u2029]/u.test(subject), 'must be one line without control characters'),
        ),
      ),
      /** A blank line begins a paragraph. */
      introduction: v.nullish(
        v.pipe(
          templateText(LIMITS.mailIntroductionChars),
          v.check((text) => !/[^\P{Cc}\n\r\t]/u.test(text), 'must not contain control characters'),
        ),
      ),
    },
    'must be an object',
  ),
);

/** The organization's own words in mails to customers; an absent or null template keeps the usual words. */
export const noticeTemplatesSchema = named(
  'NoticeTemplates',
  v.object({ created: v.nullish(words), onTheWay: v.nullish(words), completed: v.nullish(words) }, 'must be an object'),
);
export type NoticeTemplates = v.InferOutput<typeof noticeTemplatesSchema>;
