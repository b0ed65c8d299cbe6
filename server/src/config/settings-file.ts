import { editDistance } from '#base/edit-distance.ts';
import type { ConfigFault, Environment } from './config-error.ts';
import { variables } from './variables.ts';

/**
 * A file of settings (`trellis serve --config`): one `NAME=value` on a line, with the names of the
 * variables, as systemd's `EnvironmentFile` and `docker run --env-file` read it too. A value goes
 * to the end of its line; quotes around the whole of it are taken off. Lines that are empty or
 * begin with `#` say nothing.
 */
export interface SettingsFile {
  readonly values: Environment;
  /** The number of the line, from 1, by name. */
  readonly lines: ReadonlyMap<string, number>;
  readonly faults: readonly ConfigFault[];
}

const SETTING = /^([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/s;

/** `path` is how the faults name the file. */
export function parseSettingsFile(path: string, text: string): SettingsFile {
  const values: Record<string, string> = {};
  const lines = new Map<string, number>();
  const faults: ConfigFault[] = [];
  for (const [i, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    const number = i + 1;
    const [, name, value = ''] = SETTING.exec(content) ?? [];
    const fault = faultOf(name, lines);
    if (fault !== undefined) faults.push({ variable: `${path}:${number}`, ...fault });
    if (name === undefined || fault !== undefined) continue;
    lines.set(name, number);
    values[name] = unquoted(value.trim());
  }
  return { values, lines, faults };
}

/** What is wrong with a line whose setting has this name. The line itself may hold a secret. */
function faultOf(
  name: string | undefined,
  earlier: ReadonlyMap<string, number>,
): Pick<ConfigFault, 'problem' | 'remedy'> | undefined {
  if (name === undefined) {
    return { problem: 'is no setting', remedy: 'Write one as NAME=value, and a comment after #.' };
  }
  const known = Object.keys(variables);
  // The standard ones have no table here; who exports telemetry checks them.
  if (!known.includes(name) && !name.startsWith('OTEL_')) {
    return {
      problem: `sets ${name}, which is no variable`,
      remedy: `The nearest one is ${nearestName(name, known)}; "trellis serve --help" lists all.`,
    };
  }
  const line = earlier.get(name);
  if (line === undefined) return undefined;
  return { problem: `sets ${name} again, after line ${line}`, remedy: 'Keep one of the two.' };
}

function unquoted(value: string): string {
  const [, , inner] = /^(["'])(.*)\1$/s.exec(value) ?? [];
  return inner ?? value;
}

/** The known name with the fewest letters to insert, delete or replace; the first of equals. */
export function nearestName(name: string, known: readonly string[]): string {
  const distances = known.map((candidate) => editDistance(name, candidate));
  return known[distances.indexOf(Math.min(...distances))] ?? '';
}
