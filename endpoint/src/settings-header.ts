/**
 * What a file may say of its endpoint beside the code; what it leaves out stays as it is on the
 * server.
 */
export interface EndpointSettings {
  readonly isReadOnly?: boolean;
  readonly runAsAdmin?: boolean;
  readonly mode?: 'sync' | 'pooling';
  readonly access?: 'users' | 'admins';
  readonly cacheSeconds?: number;
  readonly timeoutMs?: number;
  readonly maxConcurrent?: number;
  readonly maxQueued?: number;
  readonly description?: string;
}

/** A line of the header that says what there is not. */
export class SettingsFault extends Error {
  override readonly name = 'SettingsFault';
  /** Starts at 1. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

interface Setting {
  readonly expected: string;
  /** The setting, or undefined when the value is not what is expected. */
  parse(value: string): EndpointSettings | undefined;
}

const SETTINGS: Readonly<Record<string, Setting>> = {
  readOnly: flag((isReadOnly) => ({ isReadOnly })),
  runAsAdmin: flag((runAsAdmin) => ({ runAsAdmin })),
  mode: {
    expected: 'sync or pooling',
    parse: (mode) => (mode === 'sync' || mode === 'pooling' ? { mode } : undefined),
  },
  access: {
    expected: 'users or admins',
    parse: (access) => (access === 'users' || access === 'admins' ? { access } : undefined),
  },
  cacheSeconds: integer((cacheSeconds) => ({ cacheSeconds })),
  timeoutMs: integer((timeoutMs) => ({ timeoutMs })),
  maxConcurrent: integer((maxConcurrent) => ({ maxConcurrent })),
  maxQueued: integer((maxQueued) => ({ maxQueued })),
  description: { expected: 'a text', parse: (description) => ({ description }) },
};

function flag(setting: (value: boolean) => EndpointSettings): Setting {
  return {
    expected: 'true or false',
    parse(value) {
      if (value === '' || value === 'true') return setting(true);
      return value === 'false' ? setting(false) : undefined;
    },
  };
}

function integer(setting: (value: number) => EndpointSettings): Setting {
  return {
    expected: 'a whole number',
    parse: (value) => (/^\d{1,9}$/.test(value) ? setting(Number(value)) : undefined),
  };
}

const HEADER_LINE = /^\/\/ trellis:\s*(\w+)\s*(.*?)\s*$/;

/**
 * Settings stand in the file, so that code and settings travel together: comment lines
 * `// trellis: <setting> <value>` at its very top, one setting a line, such as
 * `// trellis: readOnly` or `// trellis: timeoutMs 5000`. Throws a `SettingsFault`.
 */
export function parseSettings(code: string): EndpointSettings {
  const settings: EndpointSettings[] = [];
  for (const [index, line] of code.split(/\r?\n/).entries()) {
    if (!line.startsWith('//')) break;
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const known = SETTINGS[name];
    const setting = known?.parse(value);
    if (setting === undefined) {
      const fault =
        known === undefined
          ? `unknown setting "${name}"; known are ${Object.keys(SETTINGS).join(', ')}`
          : `${name} is ${known.expected}, not "${value}"`;
      throw new SettingsFault(index + 1, fault);
    }
    settings.push(setting);
  }
  return Object.assign({}, ...settings);
}
