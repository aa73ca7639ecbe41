import { type Mutation, mutationsOf } from '../mutation.ts';

const ASYNC_API = ['api/openapi/asyncapi.test'];

/** Faults in the documents that describe the API. */
export const DESCRIPTIONS: readonly Mutation[] = [
  ...mutationsOf(
    'schema/field-texts.ts',
    ['unit/gateway/openapi/texts'],
    [
      ["  'Webhook.isActive':", "  'WebhookView.isActive':", 'What a disabled webhook shows is explained.'],
      ["'End; included. The", "'End; excluded. The", 'The end of a replay is described as it is.'],
    ],
  ),
  ...mutationsOf(
    'gateway/routes/task-routes.ts',
    ['unit/gateway/openapi/texts'],
    [
      [
        "      '409 ASSIGNMENT_REQUEST_EXPIRED',\n",
        '',
        'A step that accepts an offer too late has its code in the document.',
      ],
    ],
  ),
  ...mutationsOf('gateway/asyncapi/asyncapi-document.ts', ASYNC_API, [
    [
      "? { ...scheme, type: 'httpApiKey' }",
      "? { ...scheme, type: 'apiKey' }",
      'AsyncAPI names credentials by types that it has.',
    ],
    [
      'parts.messages[name] = messageOf(',
      "parts.messages[name] ??= name.startsWith('stream.') ? {} : messageOf(",
      'What a stream says of itself has a schema.',
    ],
  ]),
  ...mutationsOf(
    'gateway/operations/client-package-route.ts',
    ['unit/gateway/operations/client-package'],
    [
      ['    kept = read(file);', '    read(file);', 'A gateway serves the client of its own release.'],
      ['kept ??= read(file);', 'if (!kept) return;', 'A client that could not be read once is read again.'],
    ],
  ),
  ...mutationsOf('gateway/request/kept-file.ts', ASYNC_API, [
    [
      "if (isKnownTag(incoming.header('if-none-match'), etag))",
      "if (incoming.header('if-none-match') === etag)",
      'A description that a client has is not sent again, also when a cache has marked its tag.',
    ],
  ]),
];
