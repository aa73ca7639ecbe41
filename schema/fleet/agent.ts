import * as v from 'valibot';
import { phone, userView } from '../customers/customer.ts';
import {
  boolean,
  degreesBetween,
  email,
  notNegative,
  oneOf,
  positiveInteger,
  queryFlag,
  requiredText,
  shortText,
} from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { newPassword } from '../fields/new-password.ts';
import { listQuery, pageView } from '../fields/page-query.ts';
import { nullableTime, shownId, shownTime } from '../fields/shown-fields.ts';
import { skillList } from '../fields/skill-list.ts';
import { LIMITS } from '../limits.ts';
import { shiftView, type WorkShift } from './shift.ts';

export const AGENT_TYPES = named('AgentType', ['employee', 'freelancer'] as const);
export type AgentType = (typeof AGENT_TYPES)[number];

/** The vehicle of an agent and its capacity; null is unlimited. */
export interface Vehicle {
  /** As given: `bike`, `car`, `van` … */
  readonly type: string;
  readonly maxWeightKg: number | null;
  readonly maxVolumeM3: number | null;
  readonly maxPackages: number | null;
}

/** Where an agent begins and ends the day. Degrees. */
export interface Home {
  readonly address: string | null;
  readonly latitude: number;
  readonly longitude: number;
}

/** A row of `agents`, with the name, the address and the phone of its user: both are written in one commit. */
export interface AgentRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  readonly userId: number;
  readonly agentType: AgentType;
  /** One who is not active neither signs in nor gets tasks. */
  readonly isActive: boolean;
  readonly onDuty: boolean;
  /** Null for one who never was on duty. */
  readonly dutyChangedAt: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string | null;
  readonly phoneE164: string | null;
  readonly countryCode: string | null;
  readonly phoneNumber: string | null;
  readonly vehicle: Vehicle | null;
  readonly skills: readonly string[];
  readonly home: Home | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** In order and apart; null for one that duty alone binds. */
  readonly shifts: readonly WorkShift[] | null;
  /** The end of the shift that it works now, as its actor saw it last. */
  readonly offDutyAt: string | null;
  /** When its actor has to look at it: the next start or end of a shift, or end of a break. */
  readonly deadlineAt: string | null;
}

/** The agent inside a task: small enough that every task that is read can carry it. */
export type AgentOfTask = Pick<
  AgentRecord,
  'organizationId' | 'id' | 'userId' | 'agentType' | 'firstName' | 'lastName' | 'email' | 'countryCode' | 'phoneNumber'
>;

const vehicleInput = named(
  'VehicleInput',
  v.object(
    {
      type: requiredText(LIMITS.shortTextChars),
      maxWeightKg: v.nullish(notNegative),
      maxVolumeM3: v.nullish(notNegative),
      maxPackages: v.nullish(positiveInteger),
    },
    'must be an object',
  ),
);

const homeInput = named(
  'HomeInput',
  v.object(
    { address: v.nullish(shortText), latitude: degreesBetween(-90, 90), longitude: degreesBetween(-180, 180) },
    'must be an object',
  ),
);

const name = requiredText(LIMITS.shortTextChars);
const agentType = oneOf(AGENT_TYPES);
const BODY = 'the body must be an object';

/** The body of POST /agents. Without a password the agent is mailed a token to set one with. */
export const createAgentInput = named(
  'CreateAgentInput',
  v.object(
    {
      name,
      email,
      phone,
      password: v.nullish(newPassword),
      agentType,
      vehicle: v.nullish(vehicleInput),
      skills: v.nullish(skillList),
      home: v.nullish(homeInput),
    },
    BODY,
  ),
);
export type CreateAgentInput = v.InferOutput<typeof createAgentInput>;

/** The body of PATCH /agents/:id: what is absent stays; null takes vehicle, skills and home away. */
export const updateAgentInput = named(
  'UpdateAgentInput',
  v.object(
    {
      name: v.nullish(name),
      phone: v.nullish(phone),
      agentType: v.nullish(agentType),
      vehicle: v.nullish(vehicleInput),
      skills: v.nullish(skillList),
      home: v.nullish(homeInput),
      isActive: v.nullish(boolean),
    },
    BODY,
  ),
);
export type UpdateAgentInput = v.InferOutput<typeof updateAgentInput>;

/** The body of PUT /agents/:id/duty. */
export const changeDutyInput = named('ChangeDutyInput', v.object({ onDuty: boolean }, BODY));
export type ChangeDutyInput = v.InferOutput<typeof changeDutyInput>;

/** The query of GET /agents. `search`: part of a name, of an e-mail address or of a phone number. */
export const listAgentsQuery = listQuery('agents', {
  onDuty: v.optional(queryFlag),
  isActive: v.optional(queryFlag),
  search: v.optional(shortText),
});
export type ListAgentsQuery = v.InferOutput<typeof listAgentsQuery>;

/** The agent as a task shows it. */
export const taskAgentView = named(
  'TaskAgent',
  v.object({
    id: shownId,
    userId: shownId,
    agentType: v.string(),
    user: userView,
  }),
);
export type TaskAgentView = v.InferOutput<typeof taskAgentView>;

const nullableNumber = v.nullable(v.number());

/** The agent as the agent endpoints and its events show it. `shift` is the one that it works now, until `offDutyAt`. */
export const agentView = named(
  'Agent',
  v.object({
    ...taskAgentView.entries,
    isActive: v.boolean(),
    onDuty: v.boolean(),
    dutyChangedAt: nullableTime,
    offDutyAt: nullableTime,
    shift: v.nullable(shiftView),
    vehicle: v.nullable(
      named(
        'Vehicle',
        v.object({
          type: v.string(),
          maxWeightKg: nullableNumber,
          maxVolumeM3: nullableNumber,
          maxPackages: nullableNumber,
        }),
      ),
    ),
    skills: v.array(v.string()),
    home: v.nullable(
      named('Home', v.object({ address: v.nullable(v.string()), latitude: v.string(), longitude: v.string() })),
    ),
    createdAt: shownTime,
    updatedAt: shownTime,
  }),
);
export type AgentView = v.InferOutput<typeof agentView>;

export const agentListView = pageView('AgentList', agentView);
