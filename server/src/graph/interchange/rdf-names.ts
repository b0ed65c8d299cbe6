import { RDF, RDF_DATATYPES } from '@trellis/contract/rdf-terms.ts';
import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import type { GeoPoint } from '../field-types.ts';
import { fieldText } from './field-texts.ts';
import type { NodeName } from './graph-form.ts';

/** The IRI of the type of literals that hold values of this type. */
export function datatypeOf(type: FieldType): string {
  return type.endsWith('[]')
    ? RDF.json
    : (Object.entries(RDF_DATATYPES).find(([name]) => name === type)?.[1] ?? RDF.json);
}

/** The text of the literal. */
export function lexicalText(type: FieldType, value: unknown): string {
  return type === 'GeoPoint' ? wellKnownText(value) : fieldText(type, value);
}

function wellKnownText(value: unknown): string {
  // A field of this type holds nothing else.
  const { lat, lon } = value as GeoPoint;
  return `POINT(${lon} ${lat})`;
}

export function iriOf({ uid, type, key }: NodeName): string {
  return RDF.nodes + (key === undefined ? uid : `${type}:${encodeURIComponent(key)}`);
}
