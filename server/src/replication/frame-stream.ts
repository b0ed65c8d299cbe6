import {
  REPLICATION_FRAME_BYTES_MAX,
  REPLICATION_FRAMES_IN_FLIGHT_MAX,
} from '#base/replication-limits.ts';
import { releaseMemory } from '#base/release-memory.ts';
import { decodeFrame, encodeFrame, type FrameOpener, type FrameSealer } from './frame.ts';

/** Length of the prefix that gRPC puts before each message, in the same buffer. */
const GRPC_PREFIX_BYTES = 5;

/**
 * The side of a gRPC call that encoded frames are written to. Once one is sent without an error
 * nobody reads it any more.
 */
export interface FrameSink {
  write(frame: Buffer, onSent: (error?: Error | null) => void): boolean;
}

/**
 * Sends messages in frames, and no faster than the other side takes them: what is handed to the
 * connection and not yet sent is REPLICATION_FRAMES_IN_FLIGHT_MAX frames at most.
 */
export class MessageSender {
  readonly #sink: FrameSink;
  readonly #sealer: FrameSealer;
  readonly #signal: AbortSignal;
  readonly #sent = new Wake();
  #framesInFlight = 0;

  /** Once `signal` is aborted every `send` rejects with its reason. */
  constructor(sink: FrameSink, sealer: FrameSealer, signal: AbortSignal) {
    this.#sink = sink;
    this.#sealer = sealer;
    this.#signal = signal;
  }

  /** One message, given in parts; resolves when its last frame is handed to the connection. */
  async send(parts: readonly Uint8Array[]): Promise<void> {
    for (const { slices, last } of cutFrames(parts)) {
      this.#signal.throwIfAborted();
      while (this.#framesInFlight >= REPLICATION_FRAMES_IN_FLIGHT_MAX) {
        await this.#sent.wait(this.#signal);
      }
      const frame = sealFrame(this.#sealer, slices, last);
      this.#framesInFlight++;
      this.#sink.write(frame, (error) => {
        // What gRPC has copied of it is gRPC's own.
        if (error === undefined || error === null) releaseMemory(frame);
        this.#framesInFlight--;
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

/**
 * The messages that a `MessageSender` sent, each in the parts in which it came; whoever takes one
 * may release them. Throws `replication_corrupt` where a frame is not what was sent.
 */
export async function* receiveMessages(
  frames: AsyncIterable<Buffer>,
  opener: FrameOpener,
): AsyncGenerator<readonly Buffer[], void, void> {
  let parts: Buffer[] = [];
  for await (const bytes of frames) {
    const frame = decodeFrame(bytes);
    parts.push(opener.open(frame));
    releaseMemory(bytes, GRPC_PREFIX_BYTES);
    if (!frame.last) continue;
    yield parts;
    parts = [];
  }
}

/** The message itself, whose parts are not copied when there is only one. */
export function joinParts(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** The next frame, in protobuf's encoding. */
export function sealFrame(
  sealer: FrameSealer,
  parts: readonly Uint8Array[],
  last: boolean,
): Buffer {
  const frame = sealer.seal(parts, last);
  const bytes = encodeFrame(frame);
  releaseMemory(frame.ciphertext);
  return bytes;
}

export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/**
 * Lets one waiter sleep until there may be something to do. A wake without a waiter is kept for the
 * next one.
 */
export class Wake {
  #isSet = false;
  #waiter: PromiseWithResolvers<void> | undefined;

  wake(): void {
    if (this.#waiter === undefined) this.#isSet = true;
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }

  /** Rejects with the signal's reason when it is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isSet) {
      this.#isSet = false;
      return;
    }
    const waiter = Promise.withResolvers<void>();
    this.#waiter = waiter;
    const onAbort = (): void => waiter.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await waiter.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}
