import { TABLE_FIELDS_MAX } from '@trellis/contract/limits.ts';
import { useState } from 'react';
import { columnTypes, type DataType } from './data-queries.ts';

const KEY = 'trellis.data.columns';
const TYPE_KEY = 'trellis.data.type';
const SHOWN_AT_FIRST = 7;
const LONG: ReadonlySet<string> = new Set(['Json', 'Bytes']);

/** The columns of the table of a type, as the viewer chose them in this browser. */
export function useColumns(type: DataType) {
  const all = Object.keys(columnTypes(type));
  const [kept, setKept] = useState(readKept);
  const known = kept[type.type]?.filter((field) => all.includes(field)) ?? [];
  const columns = known.length > 0 ? known : columnsAtFirst(type);
  const choose = (fields: readonly string[]): void => {
    const next = { ...readKept(), [type.type]: fields.slice(0, TABLE_FIELDS_MAX) };
    localStorage.setItem(KEY, JSON.stringify(next));
    setKept(next);
  };
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

function readKept(): Readonly<Record<string, readonly string[]>> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const entries = Object.entries(Object(kept)).filter(
      (entry): entry is [string, string[]] =>
        Array.isArray(entry[1]) && entry[1].every((field) => typeof field === 'string'),
    );
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
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
