import * as v from 'valibot';
import { boolean, id, isBlank, longText, notNegative, oneOf, positiveInteger, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { listQuery, pageView } from '../fields/page-query.ts';
import { shownAs } from '../fields/shown-as.ts';
import { nullableId, nullableTime, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

export const PACKAGE_STATUSES = named('PackageStatus', [
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
] as const);
export type PackageStatus = (typeof PACKAGE_STATUSES)[number];

/** Both field lists of docs/contract.md §3 "Package". Kilograms and centimetres, per piece. */
const packageFields = {
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
};

const isEmpty = (value: unknown) => value == null || (typeof value === 'string' && isBlank(value));
const isNameless = (value: unknown) => {
  const { name, description } = (value ?? {}) as { name?: unknown; description?: unknown };
  return typeof value === 'object' && value !== null && isEmpty(name) && isEmpty(description);
};

/** A new package: `name` and `description` fill each other, at least one is needed. */
export const packageInput = v.pipe(
  named('PackageInput', v.object(packageFields, 'must be an object')),
  v.rawCheck(({ dataset, addIssue }) => {
    if (isNameless(dataset.value)) addIssue({ message: 'must have a name or a description' });
  }),
);
export type PackageInput = v.InferOutput<typeof packageInput>;

/** An entry of the list that replaces a task's packages: with an `id` a package that stays, else a new one. */
export const packageEntry = v.pipe(
  named('PackageEntryInput', v.object({ id: v.nullish(id), ...packageFields }, 'must be an object')),
  v.rawCheck(({ dataset, addIssue }) => {
    const isNew = (dataset.value as { id?: unknown } | null | undefined)?.id == null;
    if (isNew && isNameless(dataset.value)) addIssue({ message: 'must have a name or a description' });
  }),
);
export type PackageEntry = v.InferOutput<typeof packageEntry>;

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
  /** When its barcode was scanned for its task. */
  readonly scannedAt: string | null;
}

/** The package inside a task. */
export type PackageOfTask = Omit<PackageRecord, 'organizationId' | 'version'>;

export const packageView = named(
  'Package',
  v.object({
    id: shownId,
    taskId: nullableId,
    name: v.string(),
    description: v.string(),
    quantity: shownInteger,
    weight: v.nullable(v.number()),
    width: v.nullable(v.number()),
    height: v.nullable(v.number()),
    length: v.nullable(v.number()),
    isFragile: v.boolean(),
    barcode: v.nullable(v.string()),
    notes: v.nullable(v.string()),
    status: v.picklist(PACKAGE_STATUSES),
    scannedAt: nullableTime,
    createdAt: shownTime,
    updatedAt: shownTime,
  }),
);
export type PackageView = v.InferOutput<typeof packageView>;

const someBarcodes = v.pipe(v.array(shortText), v.minLength(1, 'must hold at least one barcode'));
const barcodes = v.pipe(someBarcodes, v.maxLength(LIMITS.listItems, `must hold at most ${LIMITS.listItems} items`));

/** The barcodes between the commas of the given texts, and each text whole, since a barcode may hold commas itself. */
const anyBarcode = v.pipe(
  shownAs(v.array(v.string()), {
    items: { type: 'string', maxLength: LIMITS.shortTextChars },
    minItems: 1,
    maxItems: LIMITS.listItems,
  }),
  v.rawTransform<string[], readonly string[]>(({ dataset: { value: texts }, addIssue, NEVER }) => {
    const parts = texts.flatMap((text) => text.split(',')).filter((part) => part !== '');
    const wholes = texts.filter((text) => v.is(shortText, text));
    // One barcode may have more parts than a list has items.
    const isOne = texts.length === 1 && wholes.length === 1;
    const { issues = [] } = v.safeParse(isOne ? someBarcodes : barcodes, parts);
    for (const { message, path } of issues) addIssue({ message, path });
    return issues.length > 0 ? NEVER : [...new Set([...parts, ...wholes])];
  }),
);

/** The query of GET /packages. */
export const findPackagesQuery = listQuery('packages', {
  barcode: anyBarcode,
});
export type FindPackagesQuery = v.InferOutput<typeof findPackagesQuery>;

export const packageListView = pageView('PackageList', packageView);

/** The body of PATCH /packages/:id. */
export const changePackageInput = named(
  'ChangePackageInput',
  v.object(
    {
      status: oneOf(PACKAGE_STATUSES),
      reason: v.nullish(longText),
    },
    'the body must be an object',
  ),
);
export type ChangePackageInput = v.InferOutput<typeof changePackageInput>;
