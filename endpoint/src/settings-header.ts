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

const TRIGGER_EVENTS = ['created', 'updated', 'deleted'] as const;
type TriggerEvent = (typeof TRIGGER_EVENTS)[number];

/** `// trellis: cron "0 6 * * *" Europe/Oslo`: the server runs the endpoint at these times. */
interface CronLine {
  /** Starts at 1, as in the others. */
  readonly line: number;
  readonly cron: string;
  /** UTC when the line names none. */
  readonly timeZone: string;
}

/** `// trellis: on created Ticket`: the server runs the endpoint after these changes. */
interface TriggerLine {
  readonly line: number;
  readonly event: TriggerEvent;
  /** The name of a node type. */
  readonly type: string;
}

/** What the head of a file says about when the server itself runs the endpoint. */
export interface RunLines {
  readonly crons: readonly CronLine[];
  readonly triggers: readonly TriggerLine[];
  /** The lines that are wrong. */
  readonly faults: readonly SettingsFault[];
}

const CRON = /^"([^"]+)"(?:\s+(\S+))?$/;
const CRON_EXPECTED =
  'cron is an expression in quotes, and a time zone if it is not UTC: cron "0 6 * * *" Europe/Oslo';
const TRIGGER = /^(created|updated|deleted)\s+(\w+)$/;
const TRIGGER_EXPECTED = `on is ${TRIGGER_EVENTS.join(', ')} and the name of a node type: on created Ticket`;

/**
 * The lines `// trellis: cron ...` and `// trellis: on ...` at the very top of a file. There may
 * be several of each. Whether the expression and the type exist is for the server to say.
 */
export function parseRunLines(code: string): RunLines {
  const crons: CronLine[] = [];
  const triggers: TriggerLine[] = [];
  const faults: SettingsFault[] = [];
  for (const { line, name, value } of headerLines(code)) {
    if (name === 'cron') {
      const [, cron, timeZone = 'UTC'] = CRON.exec(value) ?? [];
      if (cron === undefined) faults.push(new SettingsFault(line, CRON_EXPECTED));
      else crons.push({ line, cron, timeZone });
    } else if (name === 'on') {
      const [, event, type] = TRIGGER.exec(value) ?? [];
      const known = TRIGGER_EVENTS.find((each) => each === event);
      if (known === undefined || type === undefined) {
        faults.push(new SettingsFault(line, `${TRIGGER_EXPECTED}, not "${value}"`));
      } else triggers.push({ line, event: known, type });
    }
  }
  return { crons, triggers, faults };
}

/** What the head of a file says to models of an endpoint. */
export interface ToolLine {
  /** `// trellis: tool off`: no model is offered the endpoint. */
  readonly isOff: boolean;
  /** `// trellis: tool "when to use it"`: what models are told in place of the description. */
  readonly description: string | undefined;
  /** The lines that are wrong. */
  readonly faults: readonly SettingsFault[];
}

const TOOL = /^(?:(off)|"([^"]+)")$/;
const TOOL_EXPECTED =
  'tool is off, or in quotes when a model should use the endpoint: tool "Finds a book by its title."';

/**
 * The line `// trellis: tool ...` at the very top of a file. Of a wrong one it is not known what is
 * meant: it keeps the endpoint from models.
 */
export function parseToolLine(code: string): ToolLine {
  const faults: SettingsFault[] = [];
  let found: Omit<ToolLine, 'faults'> | undefined;
  for (const { line, name, value } of headerLines(code)) {
    if (name !== 'tool') continue;
    const [whole, off, description] = TOOL.exec(value) ?? [];
    if (whole === undefined) faults.push(new SettingsFault(line, TOOL_EXPECTED));
    else if (found !== undefined) faults.push(new SettingsFault(line, 'tool stands there once'));
    else found = { isOff: off !== undefined, description };
  }
  const { isOff = false, description } = found ?? {};
  return { isOff: isOff || faults.length > 0, description, faults };
}

/** Lines of the header that are no settings; others read them. */
const OTHER_LINES: ReadonlySet<string> = new Set(['cron', 'on', 'tool']);

/**
 * Settings stand in the file, so that code and settings travel together: comment lines
 * `// trellis: <setting> <value>` at its very top, one setting a line, such as
 * `// trellis: readOnly` or `// trellis: timeoutMs 5000`. Throws the first of `headFaults`.
 */
export function parseSettings(code: string): EndpointSettings {
  const [wrong] = headFaults(code);
  if (wrong !== undefined) throw wrong;
  return Object.assign({}, ...settingLines(code).settings);
}

/** All lines `// trellis: ...` at the very top of a file that are wrong, in their order. */
export function headFaults(code: string): SettingsFault[] {
  const readers = [settingLines, parseRunLines, parseToolLine];
  return readers.flatMap((read) => read(code).faults).toSorted((a, b) => a.line - b.line);
}

function settingLines(code: string): {
  readonly settings: readonly EndpointSettings[];
  readonly faults: readonly SettingsFault[];
} {
  const settings: EndpointSettings[] = [];
  const faults: SettingsFault[] = [];
  for (const { line, name, value } of headerLines(code)) {
    if (OTHER_LINES.has(name)) continue;
    const known = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
    const setting = known?.parse(value);
    if (setting !== undefined) settings.push(setting);
    else faults.push(new SettingsFault(line, settingFault(name, value, known)));
  }
  return { settings, faults };
}

function settingFault(name: string, value: string, known: Setting | undefined): string {
  if (known !== undefined) return `${name} is ${known.expected}, not "${value}"`;
  const names = [...Object.keys(SETTINGS), ...OTHER_LINES].join(', ');
  return `unknown setting "${name}"; known are ${names}`;
}

const HEADER_LINE = /^\/\/ trellis:\s*(\w+)\s*(.*)$/;

interface HeaderLine {
  /** Starts at 1. */
  readonly line: number;
  readonly name: string;
  readonly value: string;
}

/** The lines `// trellis: ...` among the comments that a file begins with. */
function* headerLines(code: string): Generator<HeaderLine> {
  let at = 0;
  for (let line = 1; code.startsWith('//', at); line++) {
    const end = code.indexOf('\n', at);
    const text = code.slice(at, end < 0 ? undefined : end);
    const [, name, value = ''] = HEADER_LINE.exec(text.trimEnd()) ?? [];
    if (name !== undefined) yield { line, name, value };
    if (end < 0) return;
    at = end + 1;
  }
}
