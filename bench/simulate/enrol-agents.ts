import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import type { DemoOrganization } from '../../engine/launcher/demo-organization.ts';
import { writePrivateFile } from '../../engine/launcher/processes/private-file.ts';
import type { Draw } from './city.ts';
import { inParallel } from './in-parallel.ts';
import { peopleNames } from './orders/people.ts';
import type { SimulatorApi } from './simulator-api.ts';
import { VEHICLES } from './traveller.ts';

/** An agent that can sign in. */
export interface AgentLogin {
  readonly id: number;
  readonly email: string;
  readonly password: string;
}

const enrolledSchema = v.object({
  organizationId: v.number(),
  agents: v.array(v.object({ id: v.number(), email: v.string(), password: v.string() })),
});

/** Each costs the gateway a password hash, of which it makes two at a time. */
const AT_A_TIME = 4;
/** Agents enrolled between two writes of the file: a crash loses only a few agents whose passwords are lost. */
const SAVED_TOGETHER = 50;

/**
 * The first `count` agents of the demo: its own, those that earlier simulations created, and new ones, created by its
 * administrator. The created ones stand in `simulator.json` beside `demoFile`. Throws DispatchError when one cannot be
 * created.
 */
export async function enrolAgents(
  demo: DemoOrganization,
  demoFile: string,
  count: number,
  { api, draw, onProgress }: { api: SimulatorApi; draw: Draw; onProgress: (made: number, wanted: number) => void },
): Promise<AgentLogin[]> {
  const file = join(dirname(demoFile), 'simulator.json');
  const enrolled = readEnrolled(file, demo.organizationId);
  const missing = count - demo.agents.length - enrolled.length;
  if (missing > 0) {
    const client = await api.signedIn(demo.orgAdmin);
    for (let made = 0; made < missing; made += SAVED_TOGETHER) {
      const part = Array.from({ length: Math.min(SAVED_TOGETHER, missing - made) }, () => newAgent(draw));
      await inParallel(part, AT_A_TIME, async (input) => {
        const { data: agent } = await client.post('/agents', { body: input });
        enrolled.push({ id: agent.id, email: input.email, password: input.password });
      });
      writePrivateFile(file, `${JSON.stringify({ organizationId: demo.organizationId, agents: enrolled })}\n`);
      onProgress(made + part.length, missing);
    }
  }
  return [...demo.agents, ...enrolled].slice(0, count);
}

/** None when the file is not there, or belongs to another organization. */
function readEnrolled(file: string, organizationId: number): AgentLogin[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const enrolled = v.parse(enrolledSchema, JSON.parse(text));
  return enrolled.organizationId === organizationId ? enrolled.agents : [];
}

function newAgent(draw: Draw) {
  const type = VEHICLES[draw(VEHICLES.length)]!;
  return {
    name: peopleNames(draw),
    email: `driver-${randomBytes(6).toString('hex')}@simulator.example`,
    phone: `+491556${String(draw(100_000_000)).padStart(8, '0')}`,
    password: randomBytes(15).toString('base64url'),
    agentType: draw(3) === 0 ? ('freelancer' as const) : ('employee' as const),
    vehicle: { type, maxWeightKg: type === 'bike' ? 20 : type === 'scooter' ? 40 : type === 'car' ? 300 : 900 },
    skills: draw(4) === 0 ? ['fragile'] : [],
  };
}
