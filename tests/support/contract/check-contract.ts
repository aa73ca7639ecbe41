import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isBelowApi, type Route } from '../../../gateway/route.ts';
import { API_PREFIX, Router } from '../../../gateway/router.ts';
import { closed } from './closed-schemas.ts';
import { DOCUMENT, ROUTES, STREAM_DOCUMENT } from './described-api.ts';

/**
 * Holds what tests receive to the published documents: each answer to the schema that OpenAPI has for its operation and
 * status, each event of a webhook to that of its type, and each message of a stream to that of AsyncAPI. Objects are closed here, so a field without a place in them fails too. The documents
 * themselves leave them open: clients must accept fields that a later version adds.
 */

export interface Answer {
  readonly method: string;
  /** As in the request line. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

interface Media {
  readonly schema?: object;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, Response> }>>>>;

/** An answer, event or message that is not what its document says. */
export class ContractBreach extends Error {}

const router = new Router(ROUTES);

const FORMATS = {
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  int64: { type: 'number', validate: Number.isSafeInteger },
  'uri-reference': true,
} as const;

class Contract {
  // Each process of a run compiles these schemas and uses most of them a few times: quick to make, not quick to run.
  readonly #ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    formats: FORMATS,
    code: { optimize: false },
    inlineRefs: false,
  });
  readonly #document = closed(DOCUMENT);

  constructor() {
    this.#ajv.addSchema(this.#document, 'openapi');
    this.#ajv.addSchema(closed(STREAM_DOCUMENT), 'asyncapi');
  }

  /** The response that the document has for an answer, and where it stands in the document. */
  findResponse(route: Route, status: number): { readonly response: Response; readonly place: string } | undefined {
    const path = `${isBelowApi(route) ? API_PREFIX : ''}${route.path.replace(/:(\w+)/g, '{$1}')}`;
    const method = route.method.toLowerCase();
    const { responses } = (this.#document['paths'] as Paths)[path]![method]!;
    const own = responses[status] ? String(status) : 'default';
    const found = status < 400 ? responses[status] : responses[own];
    if (!found) return undefined;
    if (found.$ref === undefined) return { response: found, place: pointer('paths', path, method, 'responses', own) };
    const name = found.$ref.slice(found.$ref.lastIndexOf('/') + 1);
    const { responses: shared } = this.#document['components'] as { readonly responses: Record<string, Response> };
    return { response: shared[name]!, place: pointer('components', 'responses', name) };
  }

  /** Why the value is not what the schema at a place says; undefined when it is. Each schema is compiled once. */
  complaintAbout(place: string, value: unknown, document: 'openapi' | 'asyncapi' = 'openapi'): string | undefined {
    const validate: ValidateFunction | undefined = this.#ajv.getSchema(`${document}#${place}`);
    if (!validate) return `the document has no ${place}`;
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors, { dataVar: '' });
  }
}

let contract: Contract | undefined;

/** Throws ContractBreach when the document does not have this answer. */
export function checkAnswer(answer: Answer): void {
  const complaint = complaintAboutAnswer(answer);
  if (complaint === undefined) return;
  const { method, path, status, text } = answer;
  throw new ContractBreach(`${method} ${path} answered ${status}, which the document does not have: ${complaint}
${text.slice(0, 2000)}`);
}

function complaintAboutAnswer({ method, path, status, contentType, text }: Answer): string | undefined {
  contract ??= new Contract();
  const found = router.match(method, path.replace(/[?#].*$/s, ''));
  // Preflights answer for other origins, not for the operation.
  if (found.kind !== 'found') {
    return method === 'OPTIONS' ? undefined : contract.complaintAbout('/components/schemas/Error', parsed(text));
  }
  const described = contract.findResponse(found.route, status);
  if (!described) return 'no such status';
  if (method === 'HEAD') return undefined;
  const { content } = described.response;
  if (!content) return text === '' ? undefined : 'no body';
  const media = contentType?.replace(/;.*$/, '') ?? 'none';
  if (!content[media]) return `no Content-Type ${media}`;
  if (!content[media].schema) return undefined;
  return contract.complaintAbout(`${described.place}${pointer('content', media, 'schema')}`, parsed(text));
}

/** Throws ContractBreach when OpenAPI does not have this event of a webhook. */
export function checkEvent(type: string, body: unknown): void {
  const place = pointer('webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema');
  contract ??= new Contract();
  refuseSent(type, body, contract.complaintAbout(place, body));
}

/** Throws ContractBreach when AsyncAPI does not have this message of a stream. */
export function checkMessage(name: string, body: unknown): void {
  const place = pointer('components', 'messages', name, 'payload');
  contract ??= new Contract();
  refuseSent(name, body, contract.complaintAbout(place, body, 'asyncapi'));
}

function refuseSent(name: string, body: unknown, complaint: string | undefined): void {
  if (complaint !== undefined)
    throw new ContractBreach(`The event ${name} is not what the document says: ${complaint}
${JSON.stringify(body).slice(0, 2000)}`);
}

function pointer(...parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
