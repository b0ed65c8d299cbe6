import type { Operation } from '@trellis/contract/operation.ts';
import { jsonRoute, type JsonHandler, type Route } from './route.ts';

/** The names of a module of the contract under which there are operations. */
type OperationName<M> = {
  [K in keyof M]: M[K] extends Operation ? K : never;
}[keyof M];

/** A handler for each operation that takes and answers JSON, a route for each other one. */
type Handlers<M> = {
  readonly [K in OperationName<M>]: M[K] extends Operation ? JsonHandler<M[K]> | Route : never;
};

/**
 * The routes of one file of operations in the contract, under their ids: the compiler says which one is missing, and what
 * each handler gets and may answer. Example: `routesOf(operations, { getUser: ({ params }, { users }) => ... })`.
 */
export function routesOf<const M extends object>(
  operations: M,
  handlers: Handlers<M>,
): Readonly<Record<OperationName<M>, Route>> {
  const routes = new Map<string, Route>();
  for (const [name, handler] of Object.entries(handlers)) {
    const operation = operations[name as keyof M] as Operation;
    const isRoute = typeof handler === 'object';
    routes.set(
      name,
      isRoute ? (handler as Route) : jsonRoute(operation, handler as JsonHandler<Operation>),
    );
  }
  return Object.fromEntries(routes) as Record<OperationName<M>, Route>;
}
