import type { AgentOfTask, AgentRecord } from '../../../../schema/fleet/agent.ts';

export function shownAgent(id: number, firstName = 'Amina'): AgentOfTask {
  const email = `Agent${id}@Test.example`;
  const person = { firstName, lastName: 'Diallo', email, countryCode: null, phoneNumber: null };
  return { organizationId: 1, id, userId: id + 100, agentType: 'employee', ...person };
}

export function wholeAgent(id: number, firstName?: string): AgentRecord {
  const nothing = { dutyChangedAt: null, phoneE164: null, vehicle: null, skills: [], home: null };
  const at = '2026-01-01T00:00:00.000Z';
  const flags = { version: 1, isActive: true, onDuty: false, createdAt: at, updatedAt: at };
  const shifts = { shifts: null, offDutyAt: null, deadlineAt: null };
  return { ...shownAgent(id, firstName), ...nothing, ...flags, ...shifts };
}
