import { expect, it } from 'vitest';
import { treeOf } from './endpoint-tree.ts';

const named = (...names: string[]) => names.map((name) => ({ name }));

it('puts endpoints into folders, by name', () => {
  const tree = treeOf(named('b', 'reports/z', 'reports/a/x', 'a', 'reports/a'));
  expect(tree).toEqual({
    name: '',
    path: '',
    count: 5,
    endpoints: named('a', 'b'),
    folders: [
      {
        name: 'reports',
        path: 'reports/',
        count: 3,
        endpoints: named('reports/a', 'reports/z'),
        folders: [
          {
            name: 'a',
            path: 'reports/a/',
            count: 1,
            endpoints: named('reports/a/x'),
            folders: [],
          },
        ],
      },
    ],
  });
});
