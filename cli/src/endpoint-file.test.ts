import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEndpointFiles } from './commands/endpoint-push.ts';
import { scratchFolder } from './testing/command-line.ts';

describe('a header with a fault', () => {
  it('is refused with file and line', () => {
    const folder = scratchFolder();
    const file = join(folder, 'a.ts');
    writeFileSync(file, '// first\n// trellis: readOnly maybe\n');
    expect(() => readEndpointFiles(file)).toThrow(`${file}:2: readOnly is true or false`);
  });
});

describe('files', () => {
  function folderWith(files: readonly string[]): string {
    const folder = scratchFolder();
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `// ${file}`);
    }
    return folder;
  }

  it('below a folder are named by their path', () => {
    const folder = folderWith([
      'b.ts',
      'reports/a.ts',
      'reports/a.test.ts',
      'scope.d.ts',
      'x.txt',
      '.#b.ts',
      'c.ts/x.txt',
    ]);
    const found = readEndpointFiles(folder).map(({ name, code }) => `${name}: ${code}`);
    expect(found).toEqual(['b: // b.ts', 'reports/a: // reports/a.ts']);
  });

  it('named alone are named by themselves', () => {
    const folder = folderWith(['reports/a.ts']);
    expect(readEndpointFiles(join(folder, 'reports/a.ts'))[0]?.name).toBe('a');
  });

  it('must be there', () => {
    expect(() => readEndpointFiles(folderWith(['a.txt']))).toThrow('there is no *.ts file below');
  });
});
