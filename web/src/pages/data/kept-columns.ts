import { TABLE_FIELDS_MAX } from '@trellis/contract/limits.ts';
import { useKeptColumns } from '../../ui/column-choice.tsx';
import { columnTypes, type DataType } from './data-queries.ts';

const TYPE_KEY = 'trellis.data.type';
const SHOWN_AT_FIRST = 7;
const LONG: ReadonlySet<string> = new Set(['Json', 'Bytes']);

/** The columns of the table of a type, and all that it could have. */
export function useColumns(type: DataType) {
  const all = Object.keys(columnTypes(type));
  const [columns, keep] = useKeptColumns(`data/${type.type}`, all, columnsAtFirst(type));
  const choose = (fields: readonly string[]): void => keep(fields.slice(0, TABLE_FIELDS_MAX));
  return { all, columns, choose };
}

function columnsAtFirst(type: DataType): readonly string[] {
  const types = columnTypes(type);
  const { label } = type;
  const rest = Object.keys(types).filter(
    (field) => field !== label && !LONG.has(types[field]?.replace('[]', '') ?? ''),
  );
  return [...(label === undefined ? [] : [label]), ...rest].slice(0, SHOWN_AT_FIRST);
}

/** The type that was looked at last, with which the page begins. */
export function keptType(types: readonly DataType[]): DataType | undefined {
  const kept = localStorage.getItem(TYPE_KEY);
  return (
    types.find(({ type }) => type === kept) ?? types.find(({ count }) => count > 0) ?? types[0]
  );
}

export function keepType(type: string): void {
  localStorage.setItem(TYPE_KEY, type);
}
