import type { Environment } from './config-error.ts';
import type { SettingsFile } from './settings-file.ts';
import type { VariableName } from './variables.ts';

/** An option of the command line that stands for a variable. */
export interface SettingFlag {
  /** As it was written, such as `--port`. */
  readonly flag: string;
  readonly variable: VariableName;
  readonly value: string;
}

export interface LayeredSettings {
  readonly env: Environment;
  /** Where a value was set, by variable, if not in the environment. */
  readonly origins: ReadonlyMap<string, string>;
}

/**
 * The settings of three sources: a flag goes before a variable, and a variable before the file. A
 * variable set to nothing counts as not set. `path` names the file.
 */
export function layerSettings(
  env: Environment,
  flags: readonly SettingFlag[],
  path: string,
  file: Pick<SettingsFile, 'values' | 'lines'>,
): LayeredSettings {
  const layered: Record<string, string | undefined> = { ...env };
  const origins = new Map<string, string>();
  for (const [name, value] of Object.entries(file.values)) {
    if ((env[name] ?? '').trim() !== '') continue;
    layered[name] = value;
    origins.set(name, `${path}:${file.lines.get(name)}`);
  }
  for (const { flag, variable, value } of flags) {
    layered[variable] = value;
    origins.set(variable, flag);
  }
  return { env: layered, origins };
}
