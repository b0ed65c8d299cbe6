import type { VariableName } from './variables.ts';

/** One thing to correct. */
export interface ConfigFault {
  readonly variable: VariableName;
  /** The end of a sentence that begins with the variable's name; never shows a secret. */
  readonly problem: string;
  /** What to do, as a sentence. */
  readonly remedy: string;
}

/**
 * Every fault of the environment at once. The process ends with `exitCode`, which sysexits calls
 * EX_CONFIG (open-shapes, section 1).
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly exitCode = 78;
  readonly faults: readonly ConfigFault[];

  /** Shows `warnings` too: a misspelled name is often why another setting is missing. */
  constructor(faults: readonly ConfigFault[], warnings: readonly string[] = []) {
    const count = faults.length === 1 ? '1 setting is' : `${faults.length} settings are`;
    super(
      [`${count} wrong:`, ...faults.map(describe), ...warnings.map((text) => `  ${text}`)].join(
        '\n',
      ),
    );
    this.faults = faults;
  }
}

function describe(fault: ConfigFault): string {
  return `  ${fault.variable} ${fault.problem}. ${fault.remedy}`;
}
