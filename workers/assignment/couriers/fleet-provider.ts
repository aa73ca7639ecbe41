import { capacityOfVehicle, mayCarry, takeJobs } from '../../../engine/domain/assignment/fleet.ts';
import type { FleetEntry, FleetStore } from '../../../engine/store/planning/fleet-store.ts';
import type { FleetVehicle, SentCourier } from '../../../schema/assignment/courier.ts';
import { parsePhone } from '../../../schema/fields/phone.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { CourierProvider } from './courier-provider.ts';

const NAME = 'fleet';

/**
 * The company that is built in: the vehicles that an organization names in its setting `assignment.externalFleet`. A
 * vehicle takes as much as goes in, until its tasks are done; its books are in Postgres, so that two processes at once
 * never give it more.
 */
export function createFleetProvider(store: FleetStore): CourierProvider {
  return {
    name: NAME,
    mayCarry: ({ externalFleet }, load) => mayCarry(externalFleet, load),
    async book(organizationId, { externalFleet }, jobs) {
      if (externalFleet.length === 0) return new Map();
      for (let attempt = 0; attempt < LIMITS.fleetAttempts; attempt += 1) {
        const { last, open } = await store.read(organizationId, NAME);
        if (open.length >= LIMITS.fleetJobs) return new Map();
        const known = open.map(({ taskId, vehicle, ...load }) => ({ taskId, vehicle, load }));
        const taken = takeJobs(externalFleet, known, jobs);
        const sent = new Map(taken.map(({ taskId, vehicle }) => [taskId, courierOf(externalFleet, vehicle)]));
        const entries = taken.map(({ taskId, vehicle, load }): FleetEntry => ({ taskId, vehicle, ...load }));
        if (entries.length === 0 || (await store.add(organizationId, last, entries))) return sent;
      }
      throw new Error('the books of a fleet were written by somebody else again and again');
    },
    withdraw: (organizationId, taskIds) => store.withdraw(organizationId, taskIds),
    findCalledOff: () => store.findCalledOff(NAME, LIMITS.courierJobs),
  };
}

function courierOf(fleet: readonly FleetVehicle[], externalId: string): SentCourier {
  const vehicle = fleet.find((one) => one.externalId === externalId)!;
  const phone = vehicle.phone ? parsePhone(vehicle.phone) : undefined;
  return {
    name: vehicle.name,
    provider: NAME,
    externalId,
    phoneNumber: phone?.number ?? null,
    countryCode: phone?.countryCode ?? null,
    vehicleType: vehicle.vehicleType,
    vehicle: capacityOfVehicle(vehicle),
    trackingUrl: vehicle.trackingUrl ?? null,
  };
}
