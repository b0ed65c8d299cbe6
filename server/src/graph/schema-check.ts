import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { Problem } from '#base/problem.ts';
import { SCHEMA_FIELDS_PER_TYPE_MAX, SCHEMA_TYPES_MAX } from '@trellis/contract/limits.ts';
import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';
import { tagOf } from './field-types.ts';
import { RESERVED_EDGE_FIELD_NAMES, RESERVED_FIELD_NAMES, faultOfName } from './names.ts';
import { didYouMean, shorten } from './names.ts';

interface Fault {
  readonly path: string;
  readonly message: string;
}

/**
 * Checks the shape and the names of a schema document alone, without the present schema. Throws
 * `invalid_request` with all faults in `details.fields`, as `{path, message}` (open-shapes, section
 * 2).
 */
export function checkSchemaDocument(document: unknown): asserts document is SchemaDocument {
  const faults: Fault[] = [];
  if (!isRecord(document)) {
    faults.push({ path: '', message: 'expected an object with nodes and edges' });
  } else {
    checkMembers(document, ['nodes', 'edges', 'aliases'], '', faults);
    checkTypes(document['nodes'], 'nodes', checkNodeType, faults);
    checkTypes(document['edges'], 'edges', checkEdgeType, faults);
  }
  if (faults.length > 0) throw schemaFaults(faults);
}

export function schemaFaults(faults: readonly Fault[]): Problem {
  const [first] = faults;
  const fields = faults.map(({ path, message }) => ({ path: shorten(path), message }));
  return new Problem(
    'invalid_request',
    shorten(`The schema is not valid: ${first?.path ?? ''}: ${first?.message ?? ''}`),
    { details: { fields } },
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkTypes(
  list: unknown,
  path: 'nodes' | 'edges',
  check: (type: Record<string, unknown>, path: string, faults: Fault[]) => void,
  faults: Fault[],
): void {
  if (!Array.isArray(list)) {
    faults.push({ path, message: 'expected a list' });
    return;
  }
  if (list.length > SCHEMA_TYPES_MAX) {
    faults.push({ path, message: `at most ${SCHEMA_TYPES_MAX} types` });
    return;
  }
  const seen = new Set<unknown>();
  list.forEach((type: unknown, i) => {
    const at = `${path}[${i}]`;
    if (!isRecord(type)) {
      faults.push({ path: at, message: 'expected an object' });
      return;
    }
    const fault = faultOfName(type['type']);
    if (fault !== undefined) faults.push({ path: `${at}.type`, message: fault });
    if (seen.has(type['type'])) {
      faults.push({ path: `${at}.type`, message: 'this type stands in the document twice' });
    }
    seen.add(type['type']);
    check(type, at, faults);
  });
}

function checkNodeType(type: Record<string, unknown>, path: string, faults: Fault[]): void {
  const members = ['type', 'key', 'fields', 'timestamp', 'label', 'indexes'];
  checkMembers(type, members, path, faults);
  // The key may be named `Id`, the name with which every node shows its key (open-shapes, section
  // 9).
  const reserved = type['key'] === 'Id' ? RESERVED_BESIDE_ID : RESERVED_FIELD_NAMES;
  if (type['key'] !== undefined) checkFieldName(type['key'], `${path}.key`, reserved, faults);
  checkFields(type['fields'], `${path}.fields`, reserved, faults);
  checkIndexDocuments(type['indexes'], `${path}.indexes`, faults);
  for (const member of ['timestamp', 'label']) {
    const name = type[member];
    if (name !== undefined && typeof name !== 'string') {
      faults.push({ path: `${path}.${member}`, message: 'expected the name of a field' });
    }
  }
}

const RESERVED_BESIDE_ID: ReadonlySet<string> = new Set(
  [...RESERVED_FIELD_NAMES].filter((name) => name !== 'Id'),
);

function checkIndexDocuments(indexes: unknown, path: string, faults: Fault[]): void {
  if (indexes === undefined) return;
  if (!Array.isArray(indexes)) {
    faults.push({ path, message: 'expected a list' });
    return;
  }
  indexes.forEach((index: unknown, i) => {
    const at = `${path}[${i}]`;
    if (!isRecord(index)) {
      faults.push({ path: at, message: 'expected an object' });
      return;
    }
    checkMembers(index, ['field', 'fields', 'unique', 'state', 'entries'], at, faults);
    const { field, fields, unique } = index;
    const isOne = typeof field === 'string' && fields === undefined;
    const areSeveral = field === undefined && isListOfText(fields);
    if (!isOne && !areSeveral) {
      faults.push({ path: at, message: 'expected "field", a name, or "fields", a list of names' });
    }
    if (unique !== undefined && typeof unique !== 'boolean') {
      faults.push({ path: `${at}.unique`, message: 'expected true or false' });
    }
  });
}

function isListOfText(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
  );
}

function checkEdgeType(type: Record<string, unknown>, path: string, faults: Fault[]): void {
  checkMembers(type, ['type', 'inverse', 'fields'], path, faults);
  if (type['inverse'] !== undefined) {
    const fault = faultOfName(type['inverse']);
    if (fault !== undefined) faults.push({ path: `${path}.inverse`, message: fault });
  }
  if (type['fields'] !== undefined) {
    checkFields(type['fields'], `${path}.fields`, RESERVED_EDGE_FIELD_NAMES, faults);
  }
}

function checkFields(
  fields: unknown,
  path: string,
  reserved: ReadonlySet<string>,
  faults: Fault[],
): void {
  if (!isRecord(fields)) {
    faults.push({ path, message: 'expected an object from field name to field type' });
    return;
  }
  const names = Object.keys(fields);
  if (names.length > SCHEMA_FIELDS_PER_TYPE_MAX) {
    faults.push({ path, message: `at most ${SCHEMA_FIELDS_PER_TYPE_MAX} fields` });
    return;
  }
  for (const name of names) {
    const at = `${path}.${name}`;
    checkFieldName(name, at, reserved, faults);
    if (tagOf(fields[name]) === undefined) {
      const { hint } = didYouMean(String(fields[name]), SCALAR_TYPES);
      const known = `${SCALAR_TYPES.join(', ')}, or a list of one like String[]`;
      faults.push({
        path: at,
        message: `unknown field type; known are ${known}${hint === undefined ? '' : `. ${hint}`}`,
      });
    }
  }
}

const ID_MAY_BE_KEY = '; "key": "Id" gives it to the key';

function checkFieldName(
  name: unknown,
  path: string,
  reserved: ReadonlySet<string>,
  faults: Fault[],
): void {
  const fault =
    faultOfName(name) ??
    (reserved.has(String(name))
      ? `this name is reserved: every record shows it already${name === 'Id' ? ID_MAY_BE_KEY : ''}`
      : undefined);
  if (fault !== undefined) faults.push({ path, message: fault });
}

function checkMembers(
  value: Record<string, unknown>,
  known: readonly string[],
  path: string,
  faults: Fault[],
): void {
  for (const member of Object.keys(value)) {
    if (!known.includes(member)) {
      const at = path === '' ? member : `${path}.${member}`;
      faults.push({ path: at, message: `unknown member; known are ${known.join(', ')}` });
    }
  }
}
