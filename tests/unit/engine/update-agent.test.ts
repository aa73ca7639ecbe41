import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateAgentRule } from '../../../engine/org/decide/records/update-agent.ts';
import type { UpdateAgent } from '../../../schema/commands.ts';
import { agentRecord, callerOf, decideOn, OWN_AGENT, stateWith } from './decide/decide-fixture.ts';

const EXACT = { address: null, latitude: 52.52000660000001, longitude: -0.0000000001 };
const SHOWN = { latitude: 52.5200066, longitude: 0 };

/** The agent, whose home was given exactly, after a change of it. */
function changed(input: UpdateAgent['input']) {
  const state = stateWith('by an agent', 'accepted');
  const agents = [agentRecord({ home: EXACT })];
  state.absorbAgents({ agents, takenEmails: [], loadedAgentIds: [OWN_AGENT], heldTasks: [] });
  const command = { kind: 'update-agent', caller: callerOf('dispatcher'), agentId: OWN_AGENT, input } as const;
  const { decision, draft } = decideOn(state, (given, context) => updateAgentRule.decide(given, command, context));
  assert.ok(decision.ok);
  return { changes: draft.changes.length, home: draft.findAgent(OWN_AGENT)!.home };
}

test('a home that is sent back as answers show it changes nothing', () => {
  assert.deepEqual(changed({ home: SHOWN }), { changes: 0, home: EXACT });
  assert.deepEqual(changed({ home: { ...SHOWN, address: null }, skills: ['cold'] }), { changes: 1, home: EXACT });
});

test('a home elsewhere, with another address, or none is a change', () => {
  for (const home of [{ ...SHOWN, address: null, latitude: 52.52000661 }, { ...SHOWN, address: '1 Main Street' }, null])
    assert.deepEqual(changed({ home }), { changes: 1, home });
});
