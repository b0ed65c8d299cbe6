import { VARIABLE_GROUPS, type Variable, variables } from '#config/variables.ts';

/** A variable as the help of `trellis serve` tells of it. */
export interface ListedVariable {
  readonly name: string;
  /** As it would be written; null when it has none. */
  readonly default: string | null;
  readonly description: string;
  readonly isSecret: boolean;
}

/** Every variable of the server, under the titles of their groups. Light: it loads no server. */
export function groupedVariables(): Map<string, ListedVariable[]> {
  const rows = Object.entries<Variable>(variables);
  return new Map(
    Object.entries(VARIABLE_GROUPS).map(([group, title]) => [
      title,
      rows.filter(([, row]) => row.group === group).map(listed),
    ]),
  );
}

function listed([name, { default: fallback, description, secret }]: [
  string,
  Variable,
]): ListedVariable {
  return {
    name,
    default: fallback === '' ? null : fallback,
    description,
    isSecret: secret === true,
  };
}
