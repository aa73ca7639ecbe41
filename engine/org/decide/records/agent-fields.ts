import type { Phone } from '../../../../schema/fields/phone.ts';
import type { AgentRecord, CreateAgentInput, Home, Vehicle } from '../../../../schema/fleet/agent.ts';

export function phoneOf(phone: Phone): Pick<AgentRecord, 'phoneE164' | 'countryCode' | 'phoneNumber'> {
  return { phoneE164: phone.e164, countryCode: phone.countryCode, phoneNumber: phone.number };
}

export function vehicleOf(input: CreateAgentInput['vehicle']): Vehicle | null {
  if (!input) return null;
  const { type, maxWeightKg, maxVolumeM3, maxPackages } = input;
  return {
    type,
    maxWeightKg: maxWeightKg ?? null,
    maxVolumeM3: maxVolumeM3 ?? null,
    maxPackages: maxPackages ?? null,
  };
}

/** Each once, in the order in which they were given. */
export function skillsOf(input: CreateAgentInput['skills']): readonly string[] {
  return [...new Set(input ?? [])];
}

export function homeOf(input: CreateAgentInput['home']): Home | null {
  return input ? { address: input.address ?? null, latitude: input.latitude, longitude: input.longitude } : null;
}
