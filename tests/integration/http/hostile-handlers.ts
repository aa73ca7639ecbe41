import type { Dispatch } from '../../../gateway/http/port.ts';

const TEXT = [['content-type', 'text/plain']] as const;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Every way in which a handler can be wrong; the path chooses one. */
export const HOSTILE: Readonly<Record<string, Dispatch>> = {
  '/ok': (_, reply) => reply.send(200, TEXT, 'ok'),
  '/throws': () => {
    throw new Error('thrown at once');
  },
  '/throws-nothing': () => {
    throw undefined;
  },
  '/rejects': async () => {
    throw new Error('rejected at once');
  },
  '/rejects-later': async () => {
    await turn();
    throw new Error('rejected later');
  },
  '/returns-nothing': async () => {},
  '/returns-nothing-later': () => turn(),
  '/never-answers': () => {},
  '/answers-twice': (_, reply) => {
    reply.send(200, TEXT, 'first');
    reply.send(200, TEXT, 'second');
  },
  '/answers-twice-later': async (_, reply) => {
    await turn();
    reply.send(200, TEXT, 'first');
    await turn();
    reply.send(200, TEXT, 'second');
  },
  '/answers-then-throws': (_, reply) => {
    reply.send(200, TEXT, 'first');
    throw new Error('after the answer');
  },
  '/answers-then-streams': (_, reply) => {
    reply.send(200, TEXT, 'first');
    reply.openStream(200, TEXT);
  },
  '/streams-then-answers': (_, reply) => {
    reply.openStream(200, TEXT).close();
    reply.send(200, TEXT, 'second');
  },
  '/streams-then-throws': (_, reply) => {
    const stream = reply.openStream(200, TEXT);
    stream.onClose(() => {
      throw new Error('in a close listener');
    });
    stream.close();
    stream.write('after the end');
    stream.close();
  },
  '/answers-with-a-number': (_, reply) => reply.send(200, TEXT, 7 as unknown as string),
  '/answers-with-an-object': async (_, reply) => {
    await turn();
    reply.send(200, TEXT, {} as unknown as string);
  },
  '/answers-with-a-strange-status': (_, reply) => reply.send('200\r\nx: y' as unknown as number, TEXT, 'body'),
  '/answers-with-a-bad-header': (_, reply) => reply.send(200, [['x-a', 'b\r\nc: d']], 'body'),
  '/answers-with-half-a-header': (_, reply) => reply.send(200, [['x-a'] as unknown as [string, string]], 'body'),
  '/ignores-its-body': (request, reply) => {
    void request.readBody(2);
    reply.send(200, TEXT, 'ok');
  },
  '/reads-too-much-and-goes-on': async (request, reply) => {
    await request.readBody(2).catch(() => {});
    reply.send(200, TEXT, 'ok');
  },
  '/throws-while-reading': (request) => {
    void request.readBody(100);
    throw new Error('while reading');
  },
  '/throws-when-gone': async (request, reply) => {
    reply.onGone(() => {
      throw new Error('in a gone listener');
    });
    await request.readBody(100);
    await new Promise((resolve) => setTimeout(resolve, 30));
    reply.send(200, TEXT, 'ok');
    throw new Error('after the client left');
  },
};
