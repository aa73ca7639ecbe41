import type { LocationInput, LocationRecord } from '../../../../schema/customers/location.ts';
import { shownCoordinate } from '../../../views/parts/shown-coordinate.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';
import type { DecideContext } from '../decision.ts';

/** A new place, of a task when `taskId` names one; null for none. */
export function draftLocation(
  draft: Draft,
  input: LocationInput | null | undefined,
  taskId: number | null,
  context: DecideContext,
): LocationRecord | null {
  if (!input) return null;
  const { address, latitude, longitude, building, floor, apartment } = input;
  const location = {
    organizationId: draft.organizationId,
    id: context.nextId('location'),
    address,
    latitude,
    longitude,
    building: building ?? null,
    floor: floor ?? null,
    apartment: apartment ?? null,
  };
  draft.put({ kind: 'put-location', location, taskId });
  return location;
}

export type PlaceName = 'location' | 'pickupLocation';

/** The places asked for that differ from those that the task has. */
export function newPlaces(
  facts: TaskFacts,
  input: { readonly [K in PlaceName]?: LocationInput | null | undefined },
): Set<PlaceName> {
  const names = (['location', 'pickupLocation'] as const).filter((name) => {
    const [present, wanted] = [facts[name], input[name]];
    return wanted != null && !(present && isAt(present, wanted));
  });
  return new Set(names);
}

/** Those of the new places that lie elsewhere; the others have other words alone. */
export function placesElsewhere(
  facts: TaskFacts,
  input: { readonly [K in PlaceName]?: LocationInput | null | undefined },
  places: ReadonlySet<PlaceName>,
): Set<PlaceName> {
  const names = [...places].filter((name) => {
    const [present, wanted] = [facts[name], input[name]];
    return !present || !wanted || !liesAt(present, wanted);
  });
  return new Set(names);
}

/** Whether a place is already what is asked for. */
export function isAt(location: LocationRecord, input: LocationInput): boolean {
  const details = ['building', 'floor', 'apartment'] as const;
  return (
    location.address === input.address &&
    liesAt(location, input) &&
    details.every((detail) => location[detail] === (input[detail] ?? null))
  );
}

type Coordinates = Pick<LocationInput, 'latitude' | 'longitude'>;

/** Compared as answers show them: a place that is sent back as it was read has not moved, however exactly it was first sent. */
export function liesAt(one: Coordinates, other: Coordinates): boolean {
  return (['latitude', 'longitude'] as const).every(
    (axis) => shownCoordinate(one[axis]) === shownCoordinate(other[axis]),
  );
}
