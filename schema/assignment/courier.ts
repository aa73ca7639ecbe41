import * as v from 'valibot';
import { notNegative, positiveInteger, requiredText, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { parsePhone } from '../fields/phone.ts';
import { shownId } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

/** The capacity of a vehicle; null is unlimited. */
export interface CourierVehicle {
  readonly maxWeightKg: number | null;
  readonly maxVolumeM3: number | null;
  readonly maxPackages: number | null;
}

/** The courier of a company, as the company describes it. */
export interface SentCourier {
  readonly name: string;
  /** The company. */
  readonly provider: string;
  /** The company's name for the courier. */
  readonly externalId: string;
  /** The national part only. */
  readonly phoneNumber: string | null;
  /** With the leading +. */
  readonly countryCode: string | null;
  /** As agents have it: `bike`, `car`, `van` … */
  readonly vehicleType: string;
  readonly vehicle: CourierVehicle;
  /** Where the company shows its way. */
  readonly trackingUrl: string | null;
}

/** An external courier; a task keeps it as it was when it took the task. Source: docs/contract.md §5. */
export interface CourierRecord extends SentCourier {
  readonly id: number;
}

const nullableText = v.nullable(v.string());
const nullableNumber = v.nullable(v.number());

export const courierView = named(
  'Courier',
  v.object({
    id: shownId,
    name: v.string(),
    provider: v.string(),
    externalId: v.string(),
    phoneNumber: nullableText,
    countryCode: nullableText,
    vehicleType: v.string(),
    vehicle: named(
      'CourierVehicle',
      v.object({ maxWeightKg: nullableNumber, maxVolumeM3: nullableNumber, maxPackages: nullableNumber }),
    ),
    trackingUrl: nullableText,
  }),
);

const phone = v.pipe(
  shortText,
  v.check((text) => parsePhone(text) !== undefined, 'must be a possible phone number with its country code'),
);
const webAddress = v.pipe(
  v.string('must be a string'),
  v.maxLength(LIMITS.webhookUrlChars, `must be at most ${LIMITS.webhookUrlChars} characters`),
  v.check(
    (text) => /^https?:\/\//.test(text) && URL.canParse(text),
    'must be a URL that begins with https:// or http://',
  ),
);

const fleetVehicle = named(
  'FleetVehicle',
  v.object(
    {
      externalId: requiredText(LIMITS.shortTextChars),
      name: requiredText(LIMITS.shortTextChars),
      vehicleType: requiredText(LIMITS.shortTextChars),
      phone: v.nullish(phone),
      trackingUrl: v.nullish(webAddress),
      maxWeightKg: v.nullish(notNegative),
      maxVolumeM3: v.nullish(notNegative),
      maxPackages: v.nullish(positiveInteger),
    },
    'must be an object',
  ),
);
export type FleetVehicle = v.InferOutput<typeof fleetVehicle>;

/** The setting `externalFleet`: the vehicles of the courier company that is built in. */
export const externalFleetInput = v.pipe(
  v.array(fleetVehicle, 'must be an array'),
  v.maxLength(LIMITS.fleetVehicles, `must hold at most ${LIMITS.fleetVehicles} items`),
  v.check(
    (fleet) => new Set(fleet.map(({ externalId }) => externalId)).size === fleet.length,
    'must not hold the same externalId twice',
  ),
);
