import { Readable } from 'node:stream';
import type { Download } from '@trellis/client/operation-methods.ts';
import { CommandFailure } from './failure.ts';

/** The bytes of a download as they arrive. A connection that ends too early is a failure. */
export async function* receivedBytes(
  download: Download,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of Readable.fromWeb(download)) {
      const bytes: Uint8Array = part;
      yield bytes;
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new CommandFailure('The download was cut off: the connection ended too early.', {
      code: 'download_cut_off',
      hint: 'Start it again; "trellis logs" may say why it ended.',
      cause,
    });
  }
}
