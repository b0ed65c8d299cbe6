import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { createHash } from 'node:crypto';
import { SEARCH_CHUNKS_MAX } from '#base/search-limits.ts';

/** Where a text is cut, the best first: between paragraphs, lines, sentences, words. */
const CUTS = [/\n\s*\n/gu, /\n/gu, /(?<=[.!?…])\s+|(?<=[。！？])/gu, /\s+/gu];

/**
 * Cuts a text where it hurts least, into pieces of at most `charactersMax` UTF-16 units, none
 * blank. The same text always gives the same pieces: they identify their vectors.
 */
export function chunksOf(text: string, charactersMax: number): string[] {
  const chunks: string[] = [];
  let start = 0;
  while (start < text.length && chunks.length < SEARCH_CHUNKS_MAX) {
    const end = endOf(text, start, charactersMax);
    const chunk = text.slice(start, end).trim();
    if (chunk !== '') chunks.push(chunk.toWellFormed());
    start = end;
  }
  return chunks;
}

function endOf(text: string, start: number, charactersMax: number): number {
  const last = start + charactersMax;
  if (last >= text.length) return text.length;
  const window = text.slice(start, last);
  // Earlier cuts would make many small pieces.
  const earliest = Math.floor(charactersMax / 2);
  for (const cut of CUTS) {
    let end = -1;
    for (const {
      index,
      0: { length },
    } of window.matchAll(cut)) {
      if (index + length >= earliest) end = index + length;
    }
    if (end > 0) return start + end;
  }
  // Do not split a surrogate pair.
  const isPair = /[\uD800-\uDBFF]/.test(text[last - 1] ?? '');
  return isPair ? last - 1 : last;
}

/**
 * System nodes with the vectors that a provider gave, keyed by `embeddingKey`. So no text is sent
 * twice, and replicas and backups have the vectors too.
 */
export const EMBEDDING_TYPE = '_Embedding';

/** Undefined while the provider has not made it. */
export function readEmbedding(reader: GraphReader, key: string): Float32Array | undefined {
  const id = reader.id({ type: EMBEDDING_TYPE, key });
  const vector = id === undefined ? undefined : reader.field(id, 'Vector');
  return typeof vector === 'string' ? vectorOf(vector) : undefined;
}

/** For a commit with `system`. */
export function embeddingOperation(
  key: string,
  model: string,
  vector: Float32Array,
): WriterOperation {
  const fields = { Model: model, Vector: vectorText(vector) };
  return { op: 'addOrUpdate', type: EMBEDDING_TYPE, key, fields };
}

/**
 * Base64 of little-endian 32-bit floats, as in OpenAI's protocol and in fields of `Bytes`. Copied
 * from memory as it is: x64 and arm64 are little-endian.
 */
export function vectorText({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

export function vectorOf(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  const vector = new Float32Array(Math.floor(bytes.length / 4));
  bytes.copy(new Uint8Array(vector.buffer));
  return vector;
}

/** Key of a model's vector for a text, wherever the text is used. 43 letters. */
export function embeddingKey(model: string, text: string): string {
  return createHash('sha256').update(`${model}\n${text}`).digest('base64url');
}
