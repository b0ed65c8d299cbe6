import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEndpointFiles } from './commands/endpoint-push.ts';
import { DefinitionsFolder } from './definitions-folder.ts';
import { scratchFolder } from './testing/command-line.ts';

describe('a header with a fault', () => {
  const header = '// first\n// trellis: readOnly maybe\n';

  it('is refused with file and line', () => {
    const file = join(scratchFolder(), 'a.ts');
    writeFileSync(file, header);
    expect(() => readEndpointFiles(file)).toThrow(`${file}:2: readOnly is true or false`);
  });

  it('is refused in the same way in a folder of definitions', () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'endpoints'));
    writeFileSync(join(folder, 'manifest.json'), '{"format": 1}');
    writeFileSync(join(folder, 'endpoints/a.ts'), header);
    const files = (): unknown => new DefinitionsFolder(folder).files();
    expect(files).toThrow('endpoints/a.ts:2: readOnly is true or false');
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
