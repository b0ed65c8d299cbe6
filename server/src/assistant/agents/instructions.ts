/** `${NAME}`, or `${NAME:-what stands there without a value}`. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Each variable with its value, or its default; one that has neither stays as typed. Values are not looked into. */
export function filledIn(instructions: string, values: Readonly<Record<string, string>>): string {
  return instructions.replace(VARIABLE, (typed: string, name: string, fallback?: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? typed) : (fallback ?? typed),
  );
}

/** The names of the variables, each once, in the order in which they come. */
export function variablesIn(instructions: string): string[] {
  return [...new Set([...instructions.matchAll(VARIABLE)].map(([, name]) => String(name)))];
}
