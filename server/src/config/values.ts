import type { ParsedValue } from './parsers.ts';
import type { variables, VariableName } from './variables.ts';

type Table = typeof variables;

/** One value for every variable of the table; null where nothing is set and there is no default. */
export type Values = {
  readonly [Name in VariableName]:
    | ParsedValue<Table[Name]['type']>
    | (Table[Name]['default'] extends null ? null : never);
};
