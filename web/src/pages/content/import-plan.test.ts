import { describe, expect, it } from 'vitest';
import { faultsOf, guessPlan, guessType, operationsOf, schemaOf } from './import-plan.ts';

const ROWS = [
  { id: '7', name: 'Ada', age: '36', joined: '2024-02-01', city: 'London' },
  { id: '8', name: 'Bob', age: '41', joined: '2024-03-01', city: '' },
];
const GUESSED = guessPlan('my people.csv', ROWS, { nodes: [], edges: [] });
const PLAN = {
  ...GUESSED,
  columns: GUESSED.columns.map((column) =>
    column.column === 'city' ? { ...column, use: 'edge' as const, edge: 'LivesIn' } : column,
  ),
};

describe('a plan of an import', () => {
  it('begins with what the file looks like', () => {
    expect(GUESSED.type).toBe('MyPeople');
    expect(GUESSED.keyColumn).toBe('id');
    expect(GUESSED.columns.map(({ column, use, type }) => [column, use, type])).toEqual([
      ['id', 'skip', 'Int'],
      ['name', 'field', 'String'],
      ['age', 'field', 'Int'],
      ['joined', 'field', 'Time'],
      ['city', 'field', 'String'],
    ]);
    expect(faultsOf(PLAN)).toEqual([]);
  });

  it('names the fields that every node has', () => {
    const columns = guessPlan('x.csv', [{ Number: '7', Id: '8' }], { nodes: [], edges: [] });
    expect(faultsOf({ ...columns, keyColumn: 'Id' })).toEqual([]);
    const other = { ...columns, keyColumn: 'Number' };
    const asFields = {
      ...other,
      columns: other.columns.map((one) => ({ ...one, use: 'field' as const })),
    };
    expect(faultsOf(asFields)).toEqual([
      'Every node has its own Id: choose another name for that field.',
    ]);
  });

  it('says what the schema must have', () => {
    expect(schemaOf(PLAN)).toEqual({
      nodes: [
        { type: 'MyPeople', fields: { name: 'String', age: 'Int', joined: 'Time' } },
        { type: 'City', fields: {} },
      ],
      edges: [{ type: 'LivesIn' }],
    });
  });

  it('makes nodes and edges of rows', () => {
    expect(operationsOf(PLAN, ROWS[0] ?? {}, 1)).toEqual([
      {
        op: 'addOrUpdate',
        type: 'MyPeople',
        key: '7',
        fields: { name: 'Ada', age: 36, joined: '2024-02-01T00:00:00.000Z' },
      },
      { op: 'tryAdd', type: 'City', key: 'London', fields: {} },
      {
        op: 'link',
        from: { type: 'MyPeople', key: '7' },
        edge: 'LivesIn',
        to: { type: 'City', key: 'London' },
      },
    ]);
    expect(operationsOf(PLAN, ROWS[1] ?? {}, 2)).toHaveLength(1);
  });

  it('refuses rows that do not fit, and names them', () => {
    expect(() => operationsOf(PLAN, { name: 'x' }, 3)).toThrow('Row 3: there is no key in “id”');
    expect(() => operationsOf(PLAN, { id: '1', age: 'old' }, 4)).toThrow(
      'Row 4: “old” in “age” is not of the type Int',
    );
  });

  it.each([
    ['Int', '1.5'],
    ['Int', '3000000000'],
    ['Int', true],
    ['Double', [1]],
    ['Bool', 1],
    ['String[]', 'x', ['x']],
    ['String', 7, '7'],
    ['Int', 7, 7],
    ['Json', { a: 1 }, { a: 1 }],
  ] as const)('knows of a field of %s whether %j fits it', (type, value, ...stored) => {
    const columns = PLAN.columns.map((column) =>
      column.column === 'age' ? { ...column, type } : column,
    );
    const make = () => operationsOf({ ...PLAN, columns }, { id: '1', age: value }, 1);
    if (stored.length === 0) expect(make).toThrow(`is not of the type ${type}`);
    else expect(make()).toMatchObject([{ fields: { age: stored[0] } }]);
  });

  it('is not ready while something is missing', () => {
    const twice = PLAN.columns.map((column) => ({ ...column, field: 'x' }));
    expect(faultsOf({ ...PLAN, type: '', columns: twice })).toEqual([
      'Name the type of the nodes.',
      'Two columns go to the field “x”.',
    ]);
  });
});

it.each([
  [['true', 'FALSE'], 'Bool'],
  [['1', '-20'], 'Int'],
  [['1', '2.5', ''], 'Double'],
  [['12345678901'], 'Double'],
  [['007'], 'String'],
  [['2024-01-01T10:00:00Z'], 'Time'],
  [[['a'], ['b']], 'String[]'],
  [[{ a: 1 }], 'Json'],
  [[], 'String'],
])('values %j are of the type %s', (values, type) => {
  expect(guessType(values)).toBe(type);
});
