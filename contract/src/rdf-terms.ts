import type { SCALAR_TYPES } from './field-types.ts';

/**
 * The names with which a graph is written in RDF. A node is `urn:trellis:node:TYPE:KEY`, the key
 * encoded as in an address, or `urn:trellis:node:UID` where it has none.
 */
export const RDF = {
  type: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
  json: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON',
  string: 'http://www.w3.org/2001/XMLSchema#string',
  time: 'http://www.w3.org/2001/XMLSchema#dateTime',
  /** The subject of what is said of the graph itself. */
  graph: 'urn:trellis:graph',
  schema: 'urn:trellis:schema',
  timestamp: 'urn:trellis:timestamp',
  alias: 'urn:trellis:alias',
  /** What stands before the names of nodes, types, fields and edge types. */
  nodes: 'urn:trellis:node:',
  types: 'urn:trellis:type:',
  fields: 'urn:trellis:field:',
  edges: 'urn:trellis:edge:',
} as const;

const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** Lists of each type are `RDF.json`. */
export const RDF_DATATYPES: Readonly<Record<(typeof SCALAR_TYPES)[number], string>> = {
  String: RDF.string,
  Int: `${XSD}int`,
  Long: `${XSD}long`,
  Float: `${XSD}float`,
  Double: `${XSD}double`,
  Decimal: `${XSD}decimal`,
  Bool: `${XSD}boolean`,
  Time: RDF.time,
  UID: 'urn:trellis:datatype:UID',
  GeoPoint: 'http://www.opengis.net/ont/geosparql#wktLiteral',
  Json: RDF.json,
  Bytes: `${XSD}base64Binary`,
};
