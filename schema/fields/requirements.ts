import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { boolean, isoTime, requiredText } from './fields.ts';
import { named } from './named.ts';

/** The proofs that a task may require before it is completed as succeeded. */
export const REQUIREMENTS = named('Requirement', ['signature', 'photo', 'pin', 'barcodes', 'note'] as const);
export type Requirement = (typeof REQUIREMENTS)[number];
export type Requirements = Readonly<Record<Requirement, boolean>>;

const wish = v.nullish(boolean);
const fields = { signature: wish, photo: wish, pin: wish, barcodes: wish, note: wish };

/** On create a field that is left out is as in the organization's settings, on change as it was. */
export const requirementsInput = named('RequirementsInput', v.object(fields, 'must be an object'));
export type RequirementsInput = v.InferOutput<typeof requirementsInput>;

const shown = v.boolean();
export const requirementsView = named(
  'Requirements',
  v.object({ signature: shown, photo: shown, pin: shown, barcodes: shown, note: shown }),
);

/** The body of POST /tasks/:id/scans. `occurredAt`: told by a driver who was offline. */
export const scanInput = named(
  'ScanInput',
  v.object(
    { barcode: requiredText(LIMITS.shortTextChars), occurredAt: v.nullish(isoTime) },
    'the body must be an object',
  ),
);
export type ScanInput = v.InferOutput<typeof scanInput>;
