/** An endpoint that uses a member, what it is called with, and what it then answers. */
export interface Example {
  readonly code: string;
  readonly body?: unknown;
  /** Undefined where that depends on more than the graph. */
  readonly answer?: unknown;
}

/**
 * One for each member: the compiler names a member that has none. `test/docs/scope.test.ts` runs
 * them over the nodes of `test/docs/snippet-scene.ts`.
 */
export type ExamplesOf<Described> = Readonly<Record<keyof Described & string, Example>>;
