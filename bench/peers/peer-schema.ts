import { LIMITS } from '../../schema/limits.ts';
import { TASK_TYPES, TIMES_TO_SERVE } from '../../schema/tasks/task.ts';

/** POST /tasks as a JSON schema for Fastify's own validator: the same fields, bounds and cross-field rules. */

const shortText = { type: ['string', 'null'], maxLength: LIMITS.shortTextChars };
const requiredText = { type: 'string', minLength: 1, maxLength: LIMITS.shortTextChars, pattern: '\\S' };
const longText = { type: ['string', 'null'], maxLength: LIMITS.longTextChars };
const time = { type: ['string', 'null'], format: 'date-time' };
const id = { type: ['integer', 'null'], minimum: 1 };
const measure = { type: ['number', 'null'], minimum: 0 };

const location = {
  type: 'object',
  required: ['address', 'latitude', 'longitude'],
  properties: {
    address: requiredText,
    latitude: { type: 'number', minimum: -90, maximum: 90 },
    longitude: { type: 'number', minimum: -180, maximum: 180 },
    building: shortText,
    floor: shortText,
    apartment: shortText,
  },
} as const;

const customer = {
  type: 'object',
  required: ['name', 'phone'],
  properties: {
    name: requiredText,
    phone: { type: 'string', maxLength: 64 },
    email: { type: ['string', 'null'], format: 'email', maxLength: LIMITS.emailChars },
  },
} as const;

const packageItem = {
  type: 'object',
  anyOf: [{ required: ['name'] }, { required: ['description'] }],
  properties: {
    name: shortText,
    description: longText,
    quantity: { type: ['integer', 'null'], minimum: 1, maximum: 2_147_483_647 },
    weight: measure,
    width: measure,
    height: measure,
    length: measure,
    isFragile: { type: ['boolean', 'null'] },
    barcode: shortText,
    notes: longText,
  },
} as const;

export const createTaskBody = {
  type: 'object',
  required: ['name', 'taskType'],
  allOf: [
    { oneOf: [{ required: ['customer'] }, { required: ['customerId'] }] },
    { oneOf: [{ required: ['location'] }, { required: ['locationId'] }] },
    {
      if: { required: ['timeToServe'], properties: { timeToServe: { const: 'scheduled' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema
      then: { required: ['scheduledAt'] },
    },
  ],
  properties: {
    name: requiredText,
    taskType: { type: 'string', enum: TASK_TYPES },
    customer,
    customerId: id,
    location,
    locationId: id,
    pickupLocation: { ...location, type: ['object', 'null'] },
    timeToServe: { type: 'string', enum: TIMES_TO_SERVE },
    scheduledAt: time,
    code: { ...requiredText, type: ['string', 'null'] },
    description: longText,
    notes: longText,
    packages: { type: 'array', maxItems: LIMITS.listItems, items: packageItem },
    readyAt: time,
    windowStart: time,
    windowEnd: time,
    estimatedDuration: { type: ['integer', 'null'], minimum: 1, maximum: LIMITS.estimatedDurationMinutes },
  },
} as const;

interface PeerLocation {
  readonly address: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly building?: string | null;
  readonly floor?: string | null;
  readonly apartment?: string | null;
}

export interface PeerPackage {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly quantity?: number | null;
  readonly weight?: number | null;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly length?: number | null;
  readonly isFragile?: boolean | null;
  readonly barcode?: string | null;
  readonly notes?: string | null;
}

/** An input that has passed the schema. */
export interface PeerTaskBody {
  readonly name: string;
  readonly taskType: (typeof TASK_TYPES)[number];
  readonly customer?: { readonly name: string; readonly phone: string; readonly email?: string | null };
  readonly customerId?: number;
  readonly location?: PeerLocation;
  readonly locationId?: number;
  readonly pickupLocation?: PeerLocation | null;
  readonly timeToServe?: (typeof TIMES_TO_SERVE)[number];
  readonly scheduledAt?: string | null;
  readonly code?: string | null;
  readonly description?: string | null;
  readonly notes?: string | null;
  readonly packages?: readonly PeerPackage[];
  readonly readyAt?: string | null;
  readonly windowStart?: string | null;
  readonly windowEnd?: string | null;
  readonly estimatedDuration?: number | null;
}
