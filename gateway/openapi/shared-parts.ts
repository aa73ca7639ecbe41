import type { Json, Models } from './json-schema.ts';

/** The parts that are collected while the operations are described. */
export interface DocumentParts {
  readonly models: Models;
  readonly parameters: SharedParts;
  readonly responses: SharedParts;
}

/** A part of an operation that others may have too, with the name that it then gets. */
interface Part {
  readonly name: string;
  readonly part: Json;
  readonly put: (part: Json) => void;
}

/**
 * Parts that operations share, parameters or responses. A part that at least two operations have moves to the
 * components, and each of them keeps a reference.
 */
export class SharedParts {
  readonly #kind: string;
  /** By their text. */
  readonly #parts = new Map<string, Part[]>();

  constructor(kind: 'parameters' | 'responses') {
    this.#kind = kind;
  }

  add(name: string, part: Json, put: (part: Json) => void): void {
    put(part);
    if ('$ref' in part) return;
    const text = JSON.stringify(part);
    const uses = this.#parts.get(text) ?? [];
    this.#parts.set(text, uses);
    uses.push({ name, part, put });
  }

  /** Adds a list of parts, which become the list `into`. */
  addAll(parts: readonly Json[], nameOf: (part: Json) => string, into: Json[]): void {
    for (const [place, part] of parts.entries())
      this.add(nameOf(part), part, (shown) => {
        into[place] = shown;
      });
  }

  /** Puts references where parts are shared, and returns the components. The most used part has its name alone. */
  toJson(): Json {
    const shared = [...this.#parts.values()].filter(({ length }) => length > 1).sort((a, b) => b.length - a.length);
    const components: Json = {};
    for (const uses of shared) {
      const { name, part } = uses[0]!;
      let own = name;
      for (let count = 2; own in components; count++) own = `${name}${count}`;
      components[own] = part;
      for (const { put } of uses) put({ $ref: `#/components/${this.#kind}/${own}` });
    }
    return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
