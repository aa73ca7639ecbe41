import type { Route } from '../../../gateway/route.ts';
import { DOCUMENT, ROUTES } from '../../support/contract/described-api.ts';
import { dereferenced } from '../../support/contract/openapi.ts';

export { ROUTES };

/** `GET /tasks/:id` */
export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
  readonly headers?: Readonly<Record<string, object>>;
}

interface Operation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: object;
  }[];
  readonly responses: Readonly<Record<string, Response>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: JsonSchema }>> };
}

const { paths } = dereferenced(DOCUMENT) as {
  paths: Readonly<Record<string, Record<string, Operation>>>;
};

/** The entry of a route in the OpenAPI document, with what its references lead to. */
export function operationOf({ method, path }: Route): Operation {
  const described = Object.keys(paths).find((each) => each.replace(/^\/api\/v1|[{}]/g, '') === path.replace(/:/g, ''));
  return paths[described!]![method.toLowerCase()]!;
}

/** The fields of a request by the OpenAPI document; fields of a body in dotted form, `packages.id`. */
export function fieldsOf(route: Route): { readonly query: string[]; readonly body: string[] } {
  const { parameters, requestBody } = operationOf(route);
  const schemas = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => schema ?? []);
  return {
    query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    body: [...new Set(schemas.flatMap((schema) => propertiesOf(schema)))],
  };
}

function propertiesOf(schema: JsonSchema, before = ''): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
    `${before}${name}`,
    ...propertiesOf(inner, `${before}${name}.`),
  ]);
  const inside = [schema.items, ...(schema.anyOf ?? [])].flatMap((inner) => (inner ? propertiesOf(inner, before) : []));
  return [...own, ...inside];
}
