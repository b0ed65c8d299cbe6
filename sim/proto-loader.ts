import { loadSync as load } from '@grpc/proto-loader';

type Loaded = ReturnType<typeof load>;
const loaded = new Map<string, Loaded>();

/**
 * Stands in the place of `@grpc/proto-loader` in a simulation: each file is parsed once, not for
 * each of its connections.
 */
export function loadSync(...[file, options]: Parameters<typeof load>): Loaded {
  const name = String(file);
  const found = loaded.get(name) ?? load(file, options);
  loaded.set(name, found);
  return found;
}
