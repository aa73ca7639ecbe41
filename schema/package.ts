import * as v from 'valibot';
import { boolean, longText, notNegative, positiveInteger, shortText } from './fields.ts';

export const PACKAGE_STATUSES = [
  'pending',
  'picking_up',
  'picked_up',
  'delivering',
  'delivered',
  'collecting_payment',
  'payment_collected',
  'dropping_payment',
  'payment_dropped',
  'returned',
  'cancelled',
  'lost',
  'damaged',
] as const;
export type PackageStatus = (typeof PACKAGE_STATUSES)[number];

/**
 * Both field lists of interface.md "Package": `name` and `description` fill each other, at least one is needed.
 * Kilograms and centimetres, per piece.
 */
export const packageInput = v.pipe(
  v.object(
    {
      name: v.nullish(shortText),
      description: v.nullish(longText),
      quantity: v.nullish(positiveInteger),
      weight: v.nullish(notNegative),
      width: v.nullish(notNegative),
      height: v.nullish(notNegative),
      length: v.nullish(notNegative),
      isFragile: v.nullish(boolean),
      barcode: v.nullish(shortText),
      notes: v.nullish(longText),
    },
    'must be an object',
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    const { name, description } = (dataset.value ?? {}) as { name?: unknown; description?: unknown };
    const empty = (value: unknown) => value == null || (typeof value === 'string' && value.trim() === '');
    if (typeof dataset.value === 'object' && dataset.value !== null && empty(name) && empty(description)) {
      addIssue({ message: 'must have a name or a description' });
    }
  }),
);
export type PackageInput = v.InferOutput<typeof packageInput>;

/** A row of `packages`. */
export interface PackageRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  readonly taskId: number | null;
  readonly name: string;
  readonly description: string;
  readonly quantity: number;
  readonly weight: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly length: number | null;
  readonly isFragile: boolean;
  readonly barcode: string | null;
  readonly notes: string | null;
  readonly status: PackageStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const packageView = v.object({
  id: v.number(),
  taskId: v.nullable(v.number()),
  name: v.string(),
  description: v.string(),
  quantity: v.number(),
  weight: v.nullable(v.number()),
  width: v.nullable(v.number()),
  height: v.nullable(v.number()),
  length: v.nullable(v.number()),
  isFragile: v.boolean(),
  barcode: v.nullable(v.string()),
  notes: v.nullable(v.string()),
  status: v.picklist(PACKAGE_STATUSES),
  createdAt: v.string(),
  updatedAt: v.string(),
});
export type PackageView = v.InferOutput<typeof packageView>;
