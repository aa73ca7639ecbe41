import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { OwnerClient } from '../../../engine/bus/owner-client.ts';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { shardOf } from '../../../engine/runtime/shard-of.ts';
import type { Owners } from '../../../engine/store/cluster/owner-store.ts';
import {
  type CommandListener,
  type CommandListenerOptions,
  startCommandListener,
} from '../../../gateway/command-listener.ts';
import type { Answer, Command } from '../../../schema/commands.ts';
import { refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { OwnerCommand } from '../../../schema/owner-command.ts';

const SECRET = 'a secret of this test';
const ORGANIZATION = 17;
const COMMAND: OwnerCommand = {
  kind: 'propose-offers',
  offers: [{ taskId: 3, agentId: 4, score: 1.5, distanceM: 120, etaSeconds: null, heldTasks: 2 }],
  lacking: [
    {
      taskId: 5,
      reason: 'capacity_exceeded',
      isHopeless: false,
      counts: { capacity: 2 },
      nearest: [{ agentId: 4, reason: 'capacity', distanceM: 7 }],
    },
  ],
};
const DONE: Answer = { ok: true, status: 200, data: '{"offered":1}', sequence: 9 };

const log = createLog('test', 'silent');
const releaser = createReleaser(() => {});
after(() => releaser.stop());

type Ask = (organizationId: number, command: Command) => Promise<Answer>;

type PositionsOf = CommandListenerOptions['positionsOf'];

async function listen(ask: Ask, secret = SECRET, positionsOf: PositionsOf = () => undefined): Promise<CommandListener> {
  const base = {
    host: '127.0.0.1',
    port: 0,
    adapter: 'uws',
    clock: systemClock,
    scheduler: systemScheduler,
    log,
  } as const;
  const listener = await startCommandListener({ ...base, secret, ask, positionsOf });
  releaser.push('listener', () => listener.close());
  return listener;
}

/** A client whose view of the owners is what `addresses` says at each reading; the last one stays. */
function connect(...addresses: (string | undefined)[]) {
  let readings = 0;
  const readOwners = async (): Promise<Owners> => {
    const address = addresses[Math.min(readings, addresses.length - 1)];
    readings += 1;
    return { secret: SECRET, addresses: new Map(address ? [[shardOf(ORGANIZATION), address]] : []) };
  };
  const client = new OwnerClient({ readOwners, scheduler: systemScheduler, log });
  releaser.push('client', () => client.stop());
  return { ask: () => client.ask(ORGANIZATION, COMMAND), client, readings: () => readings };
}

function codeOf(answer: Answer): string {
  return answer.ok ? 'ok' : answer.refusal.code;
}

async function post(
  address: string,
  body: unknown,
  secret: string | null = SECRET,
  path = '/commands',
  method = 'POST',
) {
  const headers = {
    'content-type': 'application/json',
    ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
  };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`http://${address}${path}`, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: text }),
  });
  return { status: response.status, text: await response.text() };
}

test('a command gets to the owner as it was given, from the system, and the answer comes back as it was said', async () => {
  const asked: unknown[] = [];
  const { address } = await listen(async (...all) => {
    asked.push(all);
    return DONE;
  });
  assert.deepEqual(await connect(address).ask(), DONE);
  const caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };
  assert.deepEqual(asked, [[ORGANIZATION, { ...COMMAND, caller }]]);
});

test('a refund that failed gets to the owner with its name at the provider, and without one from a release before', async () => {
  const asked: Command[] = [];
  const { address } = await listen(async (_organizationId, command) => {
    asked.push(command);
    return DONE;
  });
  const { client } = connect(address);
  const failed = { kind: 'refund-failed', attempt: 1, reason: 'declined' } as const;
  const reports = [{ ...failed, refundReference: 're_1' }, failed];
  for (const report of reports) {
    assert.deepEqual(await client.ask(ORGANIZATION, { kind: 'settle-payment', paymentId: 3, report }), DONE);
  }
  assert.deepEqual(
    asked.map((command) => command.kind === 'settle-payment' && command.report),
    reports,
  );
});

test('a refusal comes back with its code, words and details', async () => {
  const said: Answer = { ok: false, refusal: refusal('INVALID_STATUS_TRANSITION', 'so it is', { taskId: 3 }) };
  const { address } = await listen(async () => said);
  assert.deepEqual(await connect(address).ask(), said);
});

test('a client without the secret learns nothing, for any request', async () => {
  const { address } = await listen(() => assert.fail('nothing gets to the engine'));
  const request = { organizationId: ORGANIZATION, command: COMMAND };
  const replies = await Promise.all([
    post(address, request, null),
    post(address, request, 'another'),
    post(address, request, `${SECRET} `.repeat(2)),
    post(address, 'no JSON', 'another'),
    post(address, request, SECRET, '/'),
    post(address, request, SECRET, '/commands', 'GET'),
    post(address, request, null, '/healthz', 'GET'),
  ]);
  for (const reply of replies) assert.deepEqual(reply, { status: 404, text: '' });
});

test('only commands that are meant for it are taken', async () => {
  const { address } = await listen(() => assert.fail('nothing gets to the engine'));
  const offer = COMMAND.offers[0]!;
  const wrong = [
    'no JSON',
    null,
    { organizationId: 0, command: COMMAND },
    { organizationId: ORGANIZATION, command: { kind: 'delete-organization', confirm: 'it' } },
    { organizationId: ORGANIZATION, command: { ...COMMAND, caller: { role: 'super_admin' } } },
    { organizationId: ORGANIZATION, command: { ...COMMAND, offers: [{ ...offer, score: null }] } },
    { organizationId: ORGANIZATION, command: { ...COMMAND, offers: Array(LIMITS.proposedOffers + 1).fill(offer) } },
  ];
  for (const body of wrong) assert.deepEqual(await post(address, body), { status: 400, text: '' });
});

test('a body over the bound is refused', async () => {
  const { address } = await listen(() => assert.fail('nothing gets to the engine'));
  const { status } = await post(address, ' '.repeat(LIMITS.ownerCommandBytes + 1));
  assert.equal(status, 413);
});

test('an owner that is gone, moved or none is looked for once more, and then remembered', async () => {
  const { address } = await listen(async () => DONE);
  const other = await listen(async () => ({ ok: false, refusal: refusal('NOT_OWNER') }));
  const stranger = await listen(async () => DONE, 'the secret of another database');
  const gone = await listen(async () => DONE);
  gone.close();
  for (const wrong of [undefined, gone.address, other.address, stranger.address]) {
    const { ask, readings } = connect(wrong, address);
    assert.deepEqual([await ask(), await ask(), readings()], [DONE, DONE, 2], `instead of ${wrong}`);
  }
});

test('an organization that nobody owns is refused after a second look', async () => {
  const { ask, readings } = connect(undefined);
  assert.deepEqual([codeOf(await ask()), readings()], ['NOT_OWNER', 2]);
});

test('many who find their owner wrong at once look for it together', async () => {
  const { address } = await listen(async () => DONE);
  const { ask, readings } = connect(undefined, address);
  const answers = await Promise.all(Array.from({ length: 50 }, ask));
  assert.deepEqual([new Set(answers.map(codeOf)), readings()], [new Set(['ok']), 2]);
});

test('an answer that is lost on its way is an unknown outcome, and the command is not sent again', async () => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  releaser.push('server', () => server.close());
  const { port } = server.address() as { port: number };
  const { ask } = connect(`127.0.0.1:${port}`);
  assert.deepEqual([codeOf(await ask()), requests], ['OUTCOME_UNKNOWN', 1]);
});

test('an owner that keeps silent is given up, and one that talks nonsense is not believed', async () => {
  let giveUp = () => {};
  const silent = await listen(() => {
    giveUp();
    return new Promise(() => {});
  });
  const readOwners = async () => ({ secret: SECRET, addresses: new Map([[shardOf(ORGANIZATION), silent.address]]) });
  const scheduler = {
    ...systemScheduler,
    after(_delayMs: number, task: () => void) {
      giveUp = task;
      return () => {};
    },
  };
  const client = new OwnerClient({ readOwners, scheduler, log });
  releaser.push('client', () => client.stop());
  assert.equal(codeOf(await client.ask(ORGANIZATION, COMMAND)), 'OUTCOME_UNKNOWN');

  const nonsense = await listen(async () => ({ ok: 'yes' }) as unknown as Answer);
  assert.equal(codeOf(await connect(nonsense.address).ask()), 'OUTCOME_UNKNOWN');
});

test('more commands than may wait for their answers are refused at once', async () => {
  const settles: ((answer: Answer) => void)[] = [];
  const { address } = await listen(() => new Promise((resolve) => settles.push(resolve)));
  const { ask } = connect(address);
  const waiting = Array.from({ length: LIMITS.ownerCommandsAtOnce }, ask);
  assert.equal(codeOf(await ask()), 'OVERLOADED');
  const all = Promise.all(waiting);
  const timer = setInterval(() => {
    for (const settle of settles.splice(0)) settle(DONE);
  }, 5);
  try {
    assert.deepEqual(new Set((await all).map(codeOf)), new Set(['ok']));
  } finally {
    clearInterval(timer);
  }
});

test('without Postgres an owner that is known is still asked, and an unknown one is not found', async () => {
  const { address } = await listen(async () => DONE);
  let isAway = false;
  const readOwners = async (): Promise<Owners> => {
    if (isAway) throw new Error('away');
    return { secret: SECRET, addresses: new Map([[shardOf(ORGANIZATION), address]]) };
  };
  const client = new OwnerClient({ readOwners, scheduler: systemScheduler, log });
  const stranger = new OwnerClient({ readOwners, scheduler: systemScheduler, log });
  releaser.push('clients', () => Promise.all([client.stop(), stranger.stop()]));
  assert.equal(codeOf(await client.ask(ORGANIZATION, COMMAND)), 'ok');
  isAway = true;
  assert.equal(codeOf(await client.ask(ORGANIZATION, COMMAND)), 'ok');
  assert.equal(codeOf(await stranger.ask(ORGANIZATION, COMMAND)), 'UNAVAILABLE');
});

const nothing: Ask = () => assert.fail('nothing gets to the engine');

test('the positions in the memory of the owner come as they are, and from nobody else', async () => {
  const held = [
    { agentId: 3, recordedAtMs: 1_700_000_000_123, heardAtMs: 0, latitude: -51.50721784, longitude: 0.1 + 0.2 },
    { agentId: 2 ** 53 - 1, recordedAtMs: 1, heardAtMs: 2, latitude: 90, longitude: -180 },
  ];
  const owner = await listen(nothing, SECRET, async () => held);
  const other = await listen(nothing);
  const none = await listen(nothing, SECRET, async () => []);
  assert.deepEqual(await connect(other.address, owner.address).client.positions(ORGANIZATION), held);
  assert.deepEqual(await connect(none.address).client.positions(ORGANIZATION), []);
  assert.equal(await connect(other.address).client.positions(ORGANIZATION), undefined);
  const wrong = { organizationId: ORGANIZATION, of: 'another' };
  assert.deepEqual(await post(owner.address, wrong, SECRET, '/positions'), { status: 400, text: '' });
  assert.deepEqual(await post(owner.address, wrong, 'another', '/positions'), { status: 404, text: '' });
});

test('an owner that cannot send its positions is no owner without any', async () => {
  const { address } = await listen(nothing, SECRET, () => Promise.reject(new Error('broken')));
  await assert.rejects(connect(address).client.positions(ORGANIZATION), /answered 500/);
});
