/**
 * Matches `${NAME}` and `${NAME:-default}` in the instructions of an agent. Group 1 is the name, 2
 * the default.
 */
export const AGENT_VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Names of the variables in these instructions, each once. */
export function variablesIn(instructions: string): string[] {
  return [...new Set([...instructions.matchAll(AGENT_VARIABLE)].map(([, name]) => String(name)))];
}
