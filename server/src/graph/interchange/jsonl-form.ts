import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { FormOutput } from './form-output.ts';
import type { ExportedEdge, ExportedNode, GraphForm, NodeName } from './graph-form.ts';

/**
 * Operations of ingestion, one on each line (open-shapes, section 4). Before those that need it
 * stands a line that is no operation: `{"op": "schema", "schema": {...}}`.
 */
export class JsonlForm extends FormOutput implements GraphForm {
  begin(): void {}

  schema(schema: SchemaDocument): void {
    this.#line({ op: 'schema', schema });
  }

  node({ uid, type, key, timestamp, fields, aliases }: ExportedNode): void {
    this.#line({
      op: 'addOrUpdate',
      type,
      ...(key === undefined ? { uid } : { key }),
      timestamp,
      fields,
      ...(aliases.length === 0 ? {} : { aliases }),
    });
  }

  edge({ type, from, to, timestamp, fields }: ExportedEdge): void {
    this.#line({
      op: 'link',
      from: referenceTo(from),
      edge: type,
      to: referenceTo(to),
      timestamp,
      ...(isEmptyObject(fields) ? {} : { fields }),
    });
  }

  end(): void {}

  #line(value: unknown): void {
    this.write(`${JSON.stringify(value)}\n`);
  }
}

function referenceTo({ uid, type, key }: NodeName) {
  return key === undefined ? { uid } : { type, key };
}

function isEmptyObject(fields: object): boolean {
  for (const _ in fields) return false;
  return true;
}
