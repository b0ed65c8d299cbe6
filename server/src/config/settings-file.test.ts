import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layerSettings } from './setting-layers.ts';
import { parseSettingsFile } from './settings-file.ts';
import { variables } from './variables.ts';

describe('a file of settings', () => {
  it('has one NAME=value on a line, comments and empty lines', () => {
    const text = `\ufeff# of the server
MSK_PORT=9000\r
  MSK_HOST = ::1

MSK_JWT_KEY="a b#c = d'"
MSK_SMTP_URL='smtp://u:p#w@host'
MSK_LOG_PATH="half
OTEL_SERVICE_NAME=graph
MSK_CORS=`;
    const { values, lines, faults } = parseSettingsFile('a.env', text);
    expect(values).toEqual({
      MSK_PORT: '9000',
      MSK_HOST: '::1',
      MSK_JWT_KEY: `a b#c = d'`,
      MSK_SMTP_URL: 'smtp://u:p#w@host',
      MSK_LOG_PATH: '"half',
      OTEL_SERVICE_NAME: 'graph',
      MSK_CORS: '',
    });
    expect([lines.get('MSK_PORT'), lines.get('MSK_CORS'), faults]).toEqual([2, 9, []]);
  });

  it('names the line of each fault, and shows no value', () => {
    const text =
      'MSK_PROT=1\nsecret\nexport MSK_PORT=secret\nMSK_PORT=1\nMSK_PORT=secret\nPATH=/bin';
    const { faults } = parseSettingsFile('a.env', text);
    expect(faults).toEqual([
      {
        variable: 'a.env:1',
        problem: 'sets MSK_PROT, which is no variable',
        remedy: 'The nearest one is MSK_PORT; "trellis serve --help" lists all.',
      },
      expect.objectContaining({ variable: 'a.env:2', problem: 'is no setting' }),
      expect.objectContaining({ variable: 'a.env:3', problem: 'is no setting' }),
      expect.objectContaining({ variable: 'a.env:5', problem: expect.stringContaining('line 4') }),
      expect.objectContaining({ variable: 'a.env:6' }),
    ]);
    expect(JSON.stringify(faults)).not.toContain('secret');
  });

  it('takes the line separators of Unicode as a part of a value', () => {
    const { values, faults } = parseSettingsFile('a.env', 'MSK_HOST="a\u2028b\u2029"\n');
    expect([values, faults]).toEqual([{ MSK_HOST: 'a\u2028b\u2029' }, []]);
  });

  it('gives back what was written, whatever it is', () => {
    const name = fc.constantFrom(...Object.keys(variables));
    const value = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.dictionary(name, value), (settings) => {
        const lines = Object.entries(settings).map(([key, text]) => `${key}="${text}"`);
        const { values, faults } = parseSettingsFile('a.env', lines.join('\n'));
        expect([values, faults]).toEqual([{ ...settings }, []]);
      }),
    );
  });
});

describe('layers of settings', () => {
  it('take a flag, then a variable that is set to something, then the file', () => {
    const file = parseSettingsFile('a.env', 'MSK_PORT=1\nMSK_HOST=1.1.1.1\nMSK_CORS=x\n');
    const flags = [{ flag: '--port', variable: 'MSK_PORT', value: '3' }] as const;
    const env = { MSK_PORT: '2', MSK_HOST: '2.2.2.2', MSK_CORS: ' ', PATH: '/bin' };
    const layered = layerSettings(env, flags, 'a.env', file);
    expect(layered.env).toEqual({
      MSK_PORT: '3',
      MSK_HOST: '2.2.2.2',
      MSK_CORS: 'x',
      PATH: '/bin',
    });
    expect([...layered.origins]).toEqual([
      ['MSK_CORS', 'a.env:3'],
      ['MSK_PORT', '--port'],
    ]);
  });
});
