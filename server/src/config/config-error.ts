/** One thing to correct. */
export interface ConfigFault {
  /** The name of the variable, or the place in a file of settings. */
  readonly variable: string;
  /** The end of a sentence that begins with the variable's name; never shows a secret. */
  readonly problem: string;
  /** What to do, as a sentence. */
  readonly remedy: string;
}

interface FaultContext {
  /** A misspelled name is often why another setting is missing. */
  readonly warnings?: readonly string[];
  /** Where a variable was set, if not in the environment. */
  readonly origins?: ReadonlyMap<string, string> | undefined;
}

/**
 * Every fault of the settings at once. The process ends with `exitCode`, which sysexits calls
 * EX_CONFIG (open-shapes, section 1).
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly exitCode = 78;
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[], { warnings = [], origins }: FaultContext = {}) {
    const count = faults.length === 1 ? '1 setting is' : `${faults.length} settings are`;
    const lines = faults.map(({ variable, problem, remedy }) => {
      const origin = origins?.get(variable);
      return `${variable}${origin === undefined ? '' : ` (${origin})`} ${problem}. ${remedy}`;
    });
    super([`${count} wrong:`, ...[...lines, ...warnings].map((text) => `  ${text}`)].join('\n'));
    this.faults = faults;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;
