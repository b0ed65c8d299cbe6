import { createHash } from 'node:crypto';

/** Of the vector that a model gives for a text, wherever the text stands. 43 letters. */
export function embeddingKey(model: string, text: string): string {
  return createHash('sha256').update(`${model}\n${text}`).digest('base64url');
}
