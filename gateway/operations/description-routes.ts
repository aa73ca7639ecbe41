import { type KeptFile, keptFile, sendKept } from '../request/kept-file.ts';
import { type RawRoute, rawRoute } from '../route.ts';

/** The documents that describe the API, encoded. Each is made when somebody asks for it first. */
export interface Descriptions {
  readonly openApi: () => string;
  readonly asyncApi: () => string;
  /** OpenAPI with the texts of all fields and the pages for people. */
  readonly reference: () => string;
}

/** The descriptions for programs that generate clients: at the root, without a key. */
export function descriptionRoutes({ openApi, asyncApi }: Descriptions): RawRoute[] {
  return [
    route('/openapi.json', 'This API as an OpenAPI 3.1 document', openApi),
    route('/asyncapi.json', 'Streams and webhooks as an AsyncAPI 3.0 document', asyncApi),
  ];
}

function route(path: string, summary: string, make: () => string): RawRoute {
  let file: KeptFile | undefined;
  return rawRoute({
    method: 'GET',
    path,
    place: 'root',
    guard: { kind: 'operational' },
    summary,
    answers: 'application/json',
    etag: true,
    handle(_request, reply, incoming) {
      file ??= keptFile('application/json; charset=utf-8', make());
      sendKept(file, [], { reply, incoming });
    },
  });
}
