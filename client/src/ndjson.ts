import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';

/** Operations, or bytes that are NDJSON already, cut anywhere. */
export type IngestSource =
  | AsyncIterable<GraphOperation | Uint8Array>
  | Iterable<GraphOperation | Uint8Array>;

type Bytes = Uint8Array<ArrayBuffer>;

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * One operation a line, read from the source only as fast as the stream is taken. The source's own
 * error is kept in `failure`, because `fetch` replaces it by one of its own.
 */
export class NdjsonStream {
  failure: { readonly error: unknown } | undefined;
  readonly stream: ReadableStream<Bytes>;
  readonly #chunks: AsyncGenerator<Bytes, void, undefined>;

  constructor(source: IngestSource) {
    this.#chunks = encode(source);
    this.stream = new ReadableStream<Bytes>({
      pull: async (controller) => {
        try {
          const { done, value } = await this.#chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          this.failure = { error };
          controller.error(error);
        }
      },
    });
  }

  /**
   * Lets go of the source: when the answer comes before the end of the stream, `fetch` neither
   * reads on nor cancels. Not awaited, since the source may be waiting for something that never
   * comes; the call's outcome is known by then.
   */
  close(): void {
    this.#chunks.return().catch((error: unknown) => {
      this.failure ??= { error };
    });
  }
}

/** Many short lines become few chunks. */
async function* encode(source: IngestSource): AsyncGenerator<Bytes, void, undefined> {
  const utf8 = new TextEncoder();
  let text = '';
  for await (const item of source) {
    if (item instanceof Uint8Array) {
      if (text !== '') yield utf8.encode(text);
      text = '';
      // A copy: the source may use its buffer again while this one waits to be sent.
      if (item.length > 0) yield new Uint8Array(item);
    } else {
      text += `${JSON.stringify(item)}\n`;
      if (text.length >= CHUNK_CHARACTERS) {
        yield utf8.encode(text);
        text = '';
      }
    }
  }
  if (text !== '') yield utf8.encode(text);
}
