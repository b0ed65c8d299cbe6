import { describe, expect, it } from 'vitest';
import { parseRunLines, parseSettings, parseToolLine } from './settings-header.ts';

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

  it('are read at once, however long the blanks in them are', () => {
    const value = `a${' '.repeat(1_000_000)}b`;
    expect(parseSettings(`// trellis: description ${value}  \n`)).toEqual({ description: value });
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

describe('when the server runs an endpoint', () => {
  it('is read from the comments at the top, among settings', () => {
    const code = [
      '// trellis: readOnly',
      '// trellis: cron "0 6 * * *" Europe/Oslo',
      '// trellis: cron "@daily"',
      '// An ordinary comment.',
      '// trellis: on created Ticket',
      '// trellis: on  deleted  Ticket ',
      'export default async function () {}',
      '// trellis: on updated Ticket',
    ].join('\r\n');
    expect(parseRunLines(code)).toEqual({
      crons: [
        { line: 2, cron: '0 6 * * *', timeZone: 'Europe/Oslo' },
        { line: 3, cron: '@daily', timeZone: 'UTC' },
      ],
      triggers: [
        { line: 5, event: 'created', type: 'Ticket' },
        { line: 6, event: 'deleted', type: 'Ticket' },
      ],
      faults: [],
    });
    expect(parseSettings(code)).toEqual({ isReadOnly: true });
  });

  it.each([
    ['cron 0 6 * * *', 'cron is an expression in quotes, and a time zone if it is not UTC'],
    ['cron "@daily" Europe/Oslo x', 'cron is an expression in quotes'],
    ['on create Ticket', 'on is created, updated, deleted and the name of a node type'],
    ['on created', 'on created Ticket, not "created"'],
    ['on created A, B', 'not "created A, B"'],
  ])('%s is a fault with its line', (line, message) => {
    const code = `// first\n// trellis: ${line}\n// trellis: on created Ticket`;
    const fault = expect.objectContaining({ line: 2, message: expect.stringContaining(message) });
    const { faults, triggers } = parseRunLines(code);
    expect([faults, triggers.length]).toEqual([[fault], 1]);
    expect(() => parseSettings(code)).toThrow(fault);
  });
});

describe('what models are told of an endpoint', () => {
  it.each([
    ['tool off', true, undefined],
    ['tool "Finds a book."', false, 'Finds a book.'],
    ['readOnly', false, undefined],
  ])('%s', (line, isOff, description) => {
    const code = `// first\r\n// trellis: ${line}\r\nexport default 1;\n// trellis: tool off`;
    expect(parseToolLine(code)).toEqual({ isOff, description, faults: [] });
    expect(parseSettings(code)).toEqual(line === 'readOnly' ? { isReadOnly: true } : {});
  });

  it.each(['tool', 'tool of', 'tool Finds a book.', 'tool ""', 'tool off now'])(
    '%s is a fault with its line, and keeps models away',
    (line) => {
      const code = `// first\n// trellis: ${line}\n`;
      const fault = expect.objectContaining({
        line: 2,
        message: expect.stringContaining('tool is off, or in quotes'),
      });
      expect(parseToolLine(code)).toMatchObject({ isOff: true, faults: [fault] });
      expect(() => parseSettings(code)).toThrow(fault);
    },
  );

  it('stands there once', () => {
    const code = '// trellis: tool "Finds a book."\n// trellis: tool off\n';
    expect(parseToolLine(code)).toMatchObject({ isOff: true, faults: [{ line: 2 }] });
  });
});
