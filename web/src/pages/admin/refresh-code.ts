import type { QueryClient } from '@tanstack/react-query';

/** After a change of code that others import: what shows all code, and each endpoint. */
export async function refreshCode(queries: QueryClient): Promise<void> {
  const keys = [['code-history'], ['build-catalog'], ['endpoints'], ['module']];
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}
