import type { FieldTable } from './field-table.ts';

export function isSameField(a: FieldTable, b: FieldTable, number: number): boolean {
  const [i, j] = [a.find(number), b.find(number)];
  if (i < 0 || j < 0) return i === j;
  const [value, other] = [
    a.bytes.subarray(a.start(i), a.end(i)),
    b.bytes.subarray(b.start(j), b.end(j)),
  ];
  return a.tag(i) === b.tag(j) && value.equals(other);
}
