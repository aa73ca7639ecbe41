import type { Scheduler } from '../../engine/runtime/clock.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ReplyStream } from '../http/port.ts';
import type { OpenMapFile } from './map-file.ts';

/**
 * Sends a range of a file piece by piece, each once the connection has taken the one before. Resolves when all is sent or
 * nobody takes it any more. Rejects when the file cannot be read; the stream is cut then.
 */
export async function sendRange(
  stream: ReplyStream,
  { handle }: OpenMapFile,
  { first, last }: { readonly first: number; readonly last: number },
  scheduler: Scheduler,
): Promise<void> {
  const ended = new Promise<false>((resolve) => stream.onClose(() => resolve(false)));
  const cancel = scheduler.after(LIMITS.mapAnswerMs, () => stream.abort());
  try {
    for (let at = first; at <= last; ) {
      const piece = Buffer.allocUnsafeSlow(Math.min(LIMITS.mapPieceBytes, last + 1 - at));
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error(`the file ends at byte ${at} since it was opened`);
      at += bytesRead;
      stream.write(piece.subarray(0, bytesRead));
      const taken = new Promise<true>((resolve) => stream.onIdle(() => resolve(true)));
      if (!(await Promise.race([taken, ended]))) return;
    }
    stream.close();
  } catch (error) {
    stream.abort();
    throw error;
  } finally {
    cancel();
  }
}
