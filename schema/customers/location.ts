import * as v from 'valibot';
import { degreesBetween, requiredText, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { shownId } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

/** Source: docs/contract.md §3 "Location". */
export const locationInput = named(
  'LocationInput',
  v.object(
    {
      address: requiredText(LIMITS.shortTextChars),
      latitude: degreesBetween(-90, 90),
      longitude: degreesBetween(-180, 180),
      building: v.nullish(shortText),
      floor: v.nullish(shortText),
      apartment: v.nullish(shortText),
    },
    'must be an object',
  ),
);
export type LocationInput = v.InferOutput<typeof locationInput>;

/** A row of `locations`: never edited; a change of place is a new row. Degrees. */
export interface LocationRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly address: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly building: string | null;
  readonly floor: string | null;
  readonly apartment: string | null;
}

export const locationView = named(
  'Location',
  v.object({
    id: shownId,
    address: v.string(),
    latitude: v.string(),
    longitude: v.string(),
    building: v.nullable(v.string()),
    floor: v.nullable(v.string()),
    apartment: v.nullable(v.string()),
  }),
);
export type LocationView = v.InferOutput<typeof locationView>;
