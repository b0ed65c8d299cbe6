import { REPLICATION_FRAME_BYTES_MAX, REPLICATION_FRAMES_IN_FLIGHT_MAX } from '#base/limits.ts';
import type { Frame, FrameOpener, FrameSealer } from './frame-cipher.ts';
import { Wake } from './wake.ts';

/** The side of a gRPC call that frames are written to. */
export interface FrameSink {
  write(frame: Frame, onSent: () => void): boolean;
}

/**
 * Sends messages in frames, and no faster than the other side takes them: what is handed to the connection and not yet sent
 * is REPLICATION_FRAMES_IN_FLIGHT_MAX frames at most.
 */
export class MessageSender {
  readonly #sink: FrameSink;
  readonly #sealer: FrameSealer;
  readonly #signal: AbortSignal;
  readonly #onSent: (frameBytes: number) => void;
  readonly #sent = new Wake();
  #framesInFlight = 0;

  /** Once `signal` is aborted every `send` rejects with its reason. `onSent` is told of each frame that went out. */
  constructor(
    sink: FrameSink,
    sealer: FrameSealer,
    signal: AbortSignal,
    onSent: (frameBytes: number) => void = () => {},
  ) {
    this.#sink = sink;
    this.#sealer = sealer;
    this.#signal = signal;
    this.#onSent = onSent;
  }

  /** One message, given in parts; resolves when its last frame is handed to the connection. */
  async send(parts: readonly Uint8Array[]): Promise<void> {
    for (const { slices, last } of cutFrames(parts)) {
      this.#signal.throwIfAborted();
      while (this.#framesInFlight >= REPLICATION_FRAMES_IN_FLIGHT_MAX) {
        await this.#sent.wait(this.#signal);
      }
      const frame = this.#sealer.seal(slices, last);
      this.#framesInFlight++;
      this.#sink.write(frame, () => {
        this.#framesInFlight--;
        this.#onSent(frame.ciphertext.length);
        this.#sent.wake();
      });
    }
  }
}

interface FrameParts {
  readonly slices: readonly Uint8Array[];
  readonly last: boolean;
}

/** The frames of one message, at least one, each full except the last. */
export function* cutFrames(
  parts: readonly Uint8Array[],
  frameBytesMax = REPLICATION_FRAME_BYTES_MAX,
): Generator<FrameParts> {
  let slices: Uint8Array[] = [];
  let room = frameBytesMax;
  for (const part of parts) {
    let at = 0;
    while (at < part.length) {
      if (room === 0) {
        yield { slices, last: false };
        slices = [];
        room = frameBytesMax;
      }
      const slice = part.subarray(at, at + room);
      slices.push(slice);
      at += slice.length;
      room -= slice.length;
    }
  }
  yield { slices, last: true };
}

/** The messages that a `MessageSender` sent. Throws `replication_corrupt` where a frame is not what was sent. */
export async function* receiveMessages(
  frames: AsyncIterable<Frame>,
  opener: FrameOpener,
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const frame of frames) {
    parts.push(opener.open(frame));
    if (!frame.last) continue;
    yield parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    parts = [];
  }
}

export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
