import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { isFieldType } from './field-types.ts';
import type { ImportRow } from './import-file.ts';

/** What becomes of one column. */
export interface ColumnPlan {
  readonly column: string;
  readonly use: 'field' | 'edge' | 'skip';
  /** For a field: its name and type. */
  readonly field: string;
  readonly type: FieldType;
  /** For an edge: its type, and the type of the nodes whose keys are in the column. */
  readonly edge: string;
  readonly target: string;
}

export interface ImportPlan {
  readonly type: string;
  readonly keyColumn: string;
  readonly columns: readonly ColumnPlan[];
}

const ISO_TIME =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * A plan to begin with: the key is the column that looks like one, types are guessed from the first
 * rows.
 */
export function guessPlan(
  fileName: string,
  rows: readonly ImportRow[],
  schema: SchemaDocument,
): ImportPlan {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const type = typeNameOf(fileName);
  const known = schema.nodes.find((node) => node.type === type);
  const keyColumn =
    columns.find((column) => column === known?.key) ??
    columns.find((column) => /^(?:id|key|uid|uuid)$/i.test(column)) ??
    columns.find((column) => /id$/i.test(column)) ??
    columns[0] ??
    '';
  return {
    type,
    keyColumn,
    columns: columns.map((column) => ({
      column,
      use: column === keyColumn ? 'skip' : 'field',
      field: fieldNameOf(column),
      type: known?.fields[column] ?? guessType(rows.map((row) => row[column])),
      edge: `Has${typeNameOf(column)}`,
      target: typeNameOf(column),
    })),
  };
}

const SHOWN_BY_ALL: ReadonlySet<string> = new Set(['UID', 'Type', 'Timestamp', 'Id']);

/** What is wrong with the plan, in words; nothing when it can be done. */
export function faultsOf(plan: ImportPlan): string[] {
  const faults: string[] = [];
  if (plan.type.trim() === '') faults.push('Name the type of the nodes.');
  if (plan.keyColumn === '') faults.push('Choose the column with the keys.');
  const names = plan.columns.filter(({ use }) => use === 'field').map(({ field }) => field);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (names.includes('')) faults.push('Name every field.');
  for (const name of names.filter((one) => SHOWN_BY_ALL.has(one))) {
    faults.push(`Every node has its own ${name}: choose another name for that field.`);
  }
  if (repeated !== undefined && repeated !== '')
    faults.push(`Two columns go to the field “${repeated}”.`);
  for (const { use, column, edge, target } of plan.columns) {
    if (use !== 'edge') continue;
    if (edge === '' || target === '')
      faults.push(`Name the edge type and the target of “${column}”.`);
  }
  return faults;
}

/** What the schema must have for the plan. */
export function schemaOf(plan: ImportPlan): SchemaDocument {
  const fields: Record<string, FieldType> = {};
  for (const { use, field, type } of plan.columns) if (use === 'field') fields[field] = type;
  const edges = plan.columns.filter(({ use }) => use === 'edge');
  const targets = new Set(edges.map(({ target }) => target));
  targets.delete(plan.type);
  return {
    nodes: [{ type: plan.type, fields }, ...[...targets].map((type) => ({ type, fields: {} }))],
    edges: [...new Set(edges.map(({ edge }) => edge))].map((type) => ({ type })),
  };
}

/** Empty when there is none. */
export function keyOfRow(plan: ImportPlan, row: ImportRow): string {
  return textOf(row[plan.keyColumn]);
}

/** What one row asks the server to do; throws when it has no key, or a value does not fit. */
export function operationsOf(
  plan: ImportPlan,
  row: ImportRow,
  rowNumber: number,
): GraphOperation[] {
  const key = keyOfRow(plan, row);
  if (key === '') throw new Error(`Row ${rowNumber}: there is no key in “${plan.keyColumn}”`);
  const fields: Record<string, unknown> = {};
  const links: GraphOperation[] = [];
  for (const column of plan.columns) {
    const value = row[column.column];
    if (value === undefined || value === null || value === '') continue;
    if (column.use === 'field') fields[column.field] = valueOf(value, column, rowNumber);
    if (column.use === 'edge') {
      const to = { type: column.target, key: textOf(value) };
      links.push({ op: 'tryAdd', ...to, fields: {} });
      links.push({ op: 'link', from: { type: plan.type, key }, edge: column.edge, to });
    }
  }
  return [{ op: 'addOrUpdate', type: plan.type, key, fields }, ...links];
}

function valueOf(value: unknown, { type, column }: ColumnPlan, rowNumber: number): unknown {
  const unfit = () =>
    new Error(`Row ${rowNumber}: “${textOf(value)}” in “${column}” is not of the type ${type}`);
  if (typeof value !== 'string') {
    if (type === 'String' && typeof value !== 'object') return textOf(value);
    if (fitsType(value, type)) return value;
    throw unfit();
  }
  if (type.endsWith('[]') || type === 'Json' || type === 'GeoPoint') {
    try {
      return JSON.parse(value);
    } catch {
      if (type === 'String[]') return value.split(';').map((part) => part.trim());
      throw unfit();
    }
  }
  if (type === 'Int' || type === 'Float' || type === 'Double') {
    const number = Number(value);
    if (!fitsType(number, type)) throw unfit();
    return number;
  }
  if (type === 'Bool') {
    if (/^(?:true|yes|1)$/i.test(value)) return true;
    if (/^(?:false|no|0)$/i.test(value)) return false;
    throw unfit();
  }
  if (type === 'Time') {
    const time = new Date(value);
    if (Number.isNaN(time.getTime())) throw unfit();
    return time.toISOString();
  }
  return value;
}

const INT_MAX = 2 ** 31 - 1;

/**
 * Whether a value of JSON that is no text can be one of the type, as far as it is easy to say: the
 * server knows all of it.
 */
function fitsType(value: unknown, type: FieldType): boolean {
  if (type === 'Json') return true;
  if (Array.isArray(value) !== type.endsWith('[]')) return false;
  switch (type) {
    case 'Int':
      return Number.isInteger(value) && Number(value) >= -INT_MAX - 1 && Number(value) <= INT_MAX;
    case 'Float':
    case 'Double':
      return Number.isFinite(value);
    case 'Bool':
      return typeof value === 'boolean';
    case 'String':
      return false;
    default:
      return true;
  }
}

/** The narrowest type that all the values have. */
export function guessType(values: readonly unknown[]): FieldType {
  const some = values.filter((value) => value !== undefined && value !== null && value !== '');
  if (some.length === 0) return 'String';
  const all = (test: (text: string) => boolean) => some.every((value) => test(textOf(value)));
  if (some.every(Array.isArray)) {
    const inner = `${guessType(some.flat())}[]`;
    return isFieldType(inner) ? inner : 'Json';
  }
  if (some.some((value) => typeof value === 'object')) return 'Json';
  if (all((text) => /^(?:true|false)$/i.test(text))) return 'Bool';
  if (all((text) => /^-?(?:0|[1-9]\d{0,8})$/.test(text))) return 'Int';
  if (all((text) => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text))) return 'Double';
  if (all((text) => ISO_TIME.test(text))) return 'Time';
  return 'String';
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** "order lines.csv" holds nodes of the type OrderLines. */
function typeNameOf(text: string): string {
  return text
    .replace(/\.[^.]+$/, '')
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
    .replace(/^\d+/, '');
}

function fieldNameOf(column: string): string {
  return column.trim().replaceAll(/[^\p{L}\p{N}_]+/gu, '_');
}
