import type { Json } from '../../../gateway/openapi/json-schema.ts';
import { schemaNarrowings } from './schema-narrowings.ts';

interface Message {
  readonly $ref?: string;
  readonly payload: Json;
  readonly headers?: Json;
}

interface Channel {
  readonly address: string | null;
  readonly messages: Readonly<Record<string, Message>>;
}

interface Document extends Json {
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Json;
  readonly components: { readonly messages: Readonly<Record<string, Message>> };
}

/** Lists what an AsyncAPI document has removed or narrowed since another, by which a listener of the other would fail. */
export function messageNarrowings(released: Json, document: Json): string[] {
  const [before, after] = [released as Document, document as Document];
  const found = Object.keys(before.operations)
    .filter((name) => !(name in after.operations))
    .map((name) => `the operation ${name} is gone`);
  const sides = { before, after, direction: 'response', known: new Map<string, readonly string[]>() } as const;
  for (const [name, channel] of Object.entries(before.channels)) {
    const now = after.channels[name];
    if (now?.address !== channel.address) found.push(`${name}: ${channel.address} is ${now ? now.address : 'gone'}`);
    for (const type of Object.keys(now ? channel.messages : {})) {
      const place = `${name} ${type}`;
      const [old, present] = [messageOf(before, name, type)!, messageOf(after, name, type)];
      if (!present) found.push(`${place}: is gone`);
      else {
        found.push(...schemaNarrowings(sides, place, old.payload, present.payload));
        if (old.headers) found.push(...schemaNarrowings(sides, `${place} headers`, old.headers, present.headers ?? {}));
      }
    }
  }
  return [...new Set(found)];
}

function messageOf({ channels, components }: Document, channel: string, type: string): Message | undefined {
  const message = channels[channel]!.messages[type];
  return message?.$ref === undefined ? message : components.messages[type];
}
