import { type AgentRecord, type AgentView, agentView } from '../../schema/fleet/agent.ts';
import { compileSerializer } from './parts/serializer.ts';
import { taskAgentViewOf } from './task-view.ts';

const serializeAgent: (view: AgentView) => string = compileSerializer(agentView);

/** The JSON of an agent: the same bytes in answers, lists and events. */
export function encodeAgent(agent: AgentRecord): string {
  const { isActive, onDuty, dutyChangedAt, vehicle, skills, home, createdAt, updatedAt } = agent;
  return serializeAgent({
    ...taskAgentViewOf(agent),
    isActive,
    onDuty,
    dutyChangedAt,
    vehicle,
    skills: skills as string[],
    home: home && {
      address: home.address,
      latitude: home.latitude.toFixed(8),
      longitude: home.longitude.toFixed(8),
    },
    createdAt,
    updatedAt,
  });
}
