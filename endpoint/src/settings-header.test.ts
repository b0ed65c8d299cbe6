import { describe, expect, it } from 'vitest';
import { parseSettings } from './settings-header.ts';

describe('settings', () => {
  it('are read from the comments at the top', () => {
    const code = [
      '// trellis: readOnly',
      '// An ordinary comment.',
      '// trellis: description What it is for: everything.  ',
      '// trellis: timeoutMs 5000',
      '// trellis: mode pooling',
      '// trellis: access admins',
      '// trellis: cacheSeconds 0',
      '// trellis: runAsAdmin false',
      '// trellis: maxConcurrent 4',
      '// trellis: maxQueued 20',
      'export default async function () {}',
      '// trellis: readOnly false',
    ].join('\r\n');
    expect(parseSettings(code)).toEqual({
      isReadOnly: true,
      description: 'What it is for: everything.',
      timeoutMs: 5000,
      mode: 'pooling',
      access: 'admins',
      cacheSeconds: 0,
      runAsAdmin: false,
      maxConcurrent: 4,
      maxQueued: 20,
    });
  });

  it('may be absent', () => {
    expect(parseSettings('export default async function () {}')).toEqual({});
  });

  it.each([
    ['readonly', 'unknown setting "readonly"; known are readOnly, runAsAdmin, mode'],
    ['readOnly maybe', 'readOnly is true or false, not "maybe"'],
    ['timeoutMs 5s', 'timeoutMs is a whole number, not "5s"'],
    ['mode async', 'mode is sync or pooling, not "async"'],
    ['access', 'access is users or admins, not ""'],
  ])('%s is refused with its line', (line, message) => {
    expect(() => parseSettings(`// first\n// trellis: ${line}\n`)).toThrow(
      expect.objectContaining({ line: 2, message: expect.stringContaining(message) }),
    );
  });
});
