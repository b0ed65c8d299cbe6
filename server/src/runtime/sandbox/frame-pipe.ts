import type { Duplex } from 'node:stream';
import { ENDPOINT_FRAME_BYTES_MAX } from '#base/endpoint-limits.ts';

/** Before each text, its length in bytes. */
const HEAD_BYTES = 4;

/** Texts over a pipe between two processes, each as it was sent: see `frame.ts`. */
export class FramePipe {
  readonly #stream: Duplex;
  readonly #onFrame: (frame: string) => void;
  /** The beginning of a text that has not come whole. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  #wantedBytes = HEAD_BYTES;

  /** `onEnd` is called once, when the other side is gone, or has said what is no frame. */
  constructor(stream: Duplex, onFrame: (frame: string) => void, onEnd: () => void) {
    this.#stream = stream;
    this.#onFrame = onFrame;
    // What is wrong with it is seen by its end.
    stream.on('error', () => {});
    stream.once('close', onEnd);
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  send(frame: string): void {
    const { length } = frame;
    const bytes = Buffer.byteLength(frame);
    const message = Buffer.allocUnsafe(HEAD_BYTES + bytes);
    message.writeUInt32LE(bytes);
    message.write(frame, HEAD_BYTES, bytes === length ? 'latin1' : 'utf8');
    this.#stream.write(message);
  }

  close(): void {
    this.#stream.destroy();
  }

  #receive(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#partBytes > 0) {
      this.#parts.push(chunk);
      this.#partBytes += chunk.length;
      if (this.#partBytes < this.#wantedBytes) return;
      bytes = Buffer.concat(this.#parts, this.#partBytes);
      this.#parts = [];
      this.#partBytes = 0;
    }
    let at = 0;
    this.#wantedBytes = HEAD_BYTES;
    while (bytes.length - at >= HEAD_BYTES) {
      const length = bytes.readUInt32LE(at);
      if (length > ENDPOINT_FRAME_BYTES_MAX) {
        this.close();
        return;
      }
      const end = at + HEAD_BYTES + length;
      this.#wantedBytes = HEAD_BYTES + length;
      if (bytes.length < end) break;
      this.#onFrame(bytes.toString('utf8', at + HEAD_BYTES, end));
      at = end;
      this.#wantedBytes = HEAD_BYTES;
    }
    if (at === bytes.length) return;
    this.#parts = [at === 0 ? bytes : bytes.subarray(at)];
    this.#partBytes = bytes.length - at;
  }
}
