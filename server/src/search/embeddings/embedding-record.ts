import type { GraphOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { createHash } from 'node:crypto';

/**
 * The vectors that a provider gave for texts: system nodes by `embeddingKey`, so that no text is sent twice, and that replicas and
 * backups have them with all else.
 */
export const EMBEDDING_TYPE = '_Embedding';

/** Undefined when the provider has not given it yet. */
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
): GraphOperation {
  const fields = { Model: model, Vector: vectorText(vector) };
  return { op: 'addOrUpdate', type: EMBEDDING_TYPE, key, fields };
}

/**
 * Base64 of little-endian 32-bit floats: how OpenAI's protocol and a field of `Bytes` write a vector. Copied as it lies in memory:
 * x64 and arm64 are little-endian.
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

/** Key of the vector that a model gives for a text, wherever the text stands. 43 letters. */
export function embeddingKey(model: string, text: string): string {
  return createHash('sha256').update(`${model}\n${text}`).digest('base64url');
}
