import { type Mutation, mutationsOf } from '../mutation.ts';

/** Tests of the API, which all ask through the client. */
const CALLS = ['api/tasks/update-task', 'api/tasks/create-task.test'];
const STREAMS = ['api/streams/streams.test'];

/** Faults in the client that we give to integrators. */
export const CLIENT: readonly Mutation[] = [
  ...mutationsOf('gateway/client/dispatch-error.ts', CALLS, [
    ['details: details as Record<string, unknown>', 'details: {}', 'A refusal keeps its details.'],
    ['message.map(String)', 'message.slice(1).map(String)', 'A validation error keeps each violation.'],
  ]),
  ...mutationsOf(
    'gateway/client/dispatch-error.ts',
    ['unit/gateway/client/retries'],
    [
      [
        "statusCode === status && typeof error === 'string'",
        'message !== undefined || code !== undefined',
        'A refusal of a proxy in JSON decides nothing.',
      ],
    ],
  ),
  ...mutationsOf('gateway/client/create-client.ts', CALLS, [
    ["headers.get('etag')", "headers.get('x-etag')", 'A record comes with its ETag.'],
    ['position: metadata.position,', 'position: undefined,', 'An answer says at which position it was true.'],
  ]),
  ...mutationsOf(
    'gateway/client/create-client.ts',
    ['unit/gateway/client/paths'],
    [['/^\\.{0,2}$/.test(id)', "id === ''", 'An id does not climb in a path.']],
  ),
  ...mutationsOf(
    'gateway/client/send-request.ts',
    ['unit/gateway/client/open'],
    [['if (!isHeld) letGo();', 'letGo();', 'A signal ends a body that is read after the call.']],
  ),
  ...mutationsOf(
    'gateway/client/send-request.ts',
    ['unit/gateway/client/retries'],
    [
      [
        'ofCall(async () => sendable(await credential.headers()), request, isUnknown)',
        'sendable(await credential.headers())',
        'A lost change keeps its key.',
      ],
      [
        'ofCall(() => credential.renew(own), request, isUnknown)',
        'credential.renew(own)',
        'A lost change keeps its key, also after a 401.',
      ],
      ['const isDecision = status < 500 &&', 'const isDecision =', 'A 500 does not decide about a lost change.'],
      [' && !isForeign;', ';', 'A page of a proxy does not decide about a lost change.'],
      [
        "|| code === 'OUTCOME_UNKNOWN' || isFaultOfProxy(facts)",
        "|| code === 'OUTCOME_UNKNOWN'",
        'An error of a proxy leaves a change unknown.',
      ],
      [
        'PASSING.has(facts.status) || isFaultOfProxy(facts)',
        'PASSING.has(facts.status)',
        'An error of a proxy is repeated.',
      ],
      [
        'sendable(await credential.headers())',
        'credential.headers()',
        'The client refuses a key that cannot be sent at once.',
      ],
      ['  sendable(request.headers);\n', '', 'The client refuses a header that cannot be sent at once.'],
    ],
  ),
  ...mutationsOf(
    'gateway/client/create-client.ts',
    ['unit/gateway/client/retries'],
    [['{1,255}$/', '{0,255}$/', 'No change is sent without its key.']],
  ),
  ...mutationsOf(
    'gateway/client/base-url.ts',
    ['unit/gateway/client/retries'],
    [
      ['|| !/^https?:$/.test(url.protocol)', '', 'An address without its scheme is refused at once.'],
      ["url.username !== '' || url.password !== ''", 'false', 'An address with a password is refused at once.'],
      ["url.search !== '' || url.hash !== ''", 'false', 'An address with a query or a fragment is refused at once.'],
      ['url.origin + url.pathname', 'given', 'An address may have spaces around it.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/snapshot.ts',
    ['unit/gateway/console/snapshot'],
    [['unlessSilent(reader.read())', 'reader.read()', 'A list that falls silent is read again.']],
  ),
  ...mutationsOf(
    'gateway/client/session.ts',
    ['unit/gateway/client/session'],
    [
      [
        'if (present?.accessToken !== pair.accessToken) return present;',
        '',
        'A refresh leaves tokens that have come meanwhile.',
      ],
      ['baseUrlOf(options.baseUrl)', 'options.baseUrl', 'The address of a session may end with a slash.'],
      [
        '&& (await this.#logOut(pair))',
        '&& (await this.#logOut(pair), true)',
        'A session ends whose tokens were refreshed.',
      ],
    ],
  ),
  ...mutationsOf('gateway/client/event-stream.ts', STREAMS, [
    ['yield* this.#received.splice(0);', 'yield* this.#received.splice(0).reverse();', 'Messages come in their order.'],
    ['{ ...body, type: event }', 'body', 'A message of the stream itself has its type.'],
  ]),
  ...mutationsOf(
    'gateway/client/event-stream.ts',
    ['unit/gateway/client/event-stream'],
    [
      ['        fed = end;\n', '', 'A message before a heartbeat of its read comes once.'],
      [
        "if (message?.type !== 'stream.ready')",
        "if (message && message.type !== 'stream.ready')",
        'A stream with heartbeats opens soon after a cut.',
      ],
      ['\\n(?:id: (\\S+)\\n)?\\n/g', '\\nid: (\\S+)\\n\\n/g', 'A quiet stream opens soon after a cut.'],
      ['if (this.#closing.signal.aborted) break;', '', 'A closed stream does not move on.'],
    ],
  ),
];
