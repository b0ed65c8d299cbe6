import type { Operation } from '@trellis/contract/operation.ts';
import { jsonRoute, type JsonHandler, type Route } from './route.ts';

type Operations = Readonly<Record<string, Operation>>;

/** A handler for each operation that takes and answers JSON, a route for each other one. */
type Handlers<O extends Operations> = { readonly [Id in keyof O]: JsonHandler<O[Id]> | Route };

/**
 * The routes of one file of operations in the contract, under their ids: the compiler says which
 * one is missing, and what each handler gets and may answer. Example: `routesOf(operations, {
 * getUser: ({ params }, { users }) => ... })`.
 */
export function routesOf<O extends Operations>(
  operations: O,
  handlers: Handlers<O>,
): Readonly<Record<keyof O, Route>> {
  const routes = Object.entries(operations).map(([id, operation]) => {
    const handler = handlers[id as keyof O] as JsonHandler<Operation> | Route;
    return [id, typeof handler === 'object' ? handler : jsonRoute(operation, handler)] as const;
  });
  return Object.fromEntries(routes) as Record<keyof O, Route>;
}
