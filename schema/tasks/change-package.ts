import * as v from 'valibot';
import { longText, oneOf } from '../fields/fields.ts';
import { PACKAGE_STATUSES } from './package.ts';

/** The body of PATCH /packages/:id. */
export const changePackageInput = v.object(
  {
    status: oneOf(PACKAGE_STATUSES),
    reason: v.nullish(longText),
  },
  'the body must be an object',
);
export type ChangePackageInput = v.InferOutput<typeof changePackageInput>;
