import { scopeFile } from '#runtime/code-overview.ts';
import { scopeTypes } from '#runtime/compile/scope-types.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';

/**
 * What `GET /api/build/types` would answer in a workspace with this schema: for a folder of
 * endpoints that has no server yet (`trellis init`).
 */
export function scopeDeclarations(schema: SchemaDocument): string {
  return scopeFile(scopeTypes(schema, false), 'interface Endpoints {}\n');
}
