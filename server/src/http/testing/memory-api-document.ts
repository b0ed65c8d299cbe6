import { openApiDocument } from '@trellis/contract/openapi/document.ts';
import type { HttpServices } from '../services.ts';

export function memoryApiDocument(): HttpServices['apiDocument'] {
  return { text: () => JSON.stringify(openApiDocument('1.0.0')) };
}
