import { expect, it } from 'vitest';
import { importedNames } from './imported-modules.ts';

it.each([
  ["import { a } from '#lib/a.ts';\nexport * from 'b';", ['a', 'npm:b']],
  // What is still being written: no lexer reads it.
  [
    "import a, {\n  b,\n} from '#lib/a.ts';\n  import '#lib/c.ts';\nexport { a }\nconst d = `",
    ['a', 'c'],
  ],
  ["import {\nimport { b } from 'b';\n`", ['npm:b']],
])('%s', (code, names) => {
  expect(importedNames(code)).toEqual(names);
});

it('reads code at once that begins many imports and ends none', () => {
  const code = `import { a } from 'a';\n${'import\n'.repeat(250_000)}\``;
  expect(importedNames(code)).toEqual(['npm:a']);
});
