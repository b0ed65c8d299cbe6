import { vi } from 'vitest';
import type { IngestService } from '#access/ingest-service.ts';

export interface RecordedStream {
  text: string;
  ended: 'open' | 'end' | 'abort';
}

/**
 * Records the streams that arrive at ingestion, in the place of the writer. `onWrite` can delay or
 * refuse a piece.
 */
export class RecordedStreams {
  readonly streams: RecordedStream[] = [];
  onWrite: (chunk: Uint8Array) => Promise<void> = async () => {};

  /** Records until the end of the test. */
  record(ingest: IngestService): void {
    vi.spyOn(ingest, 'openStream').mockImplementation(async () => this.#open());
  }

  get last(): RecordedStream {
    const last = this.streams.at(-1);
    if (last === undefined) throw new Error('no stream was opened');
    return last;
  }

  #open(): Awaited<ReturnType<IngestService['openStream']>> {
    const stream: RecordedStream = { text: '', ended: 'open' };
    this.streams.push(stream);
    return {
      write: async (chunk) => {
        await this.onWrite(chunk);
        stream.text += Buffer.from(chunk).toString('latin1');
      },
      end: async () => {
        stream.ended = 'end';
        const nodes = stream.text.split('\n').filter(Boolean).length;
        return { nodes, created: nodes, edges: 0, splits: 0, commits: 1, sequence: 0 };
      },
      abort: async () => {
        stream.ended = 'abort';
      },
    };
  }
}
