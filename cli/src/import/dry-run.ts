import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { ImportSource } from './import-source.ts';

export interface DryRun {
  readonly operations: number;
  /** By kind and type, such as `addOrUpdate Word` or `link HasSense`. */
  readonly kinds: Readonly<Record<string, number>>;
  /** How many places give no operation. */
  readonly problems: number;
  /** The first of them. */
  readonly examples: readonly { readonly place: string; readonly problem: string }[];
}

const EXAMPLES_MAX = 20;

/** Reads and checks everything, and sends nothing. */
export async function dryRun(source: ImportSource): Promise<DryRun> {
  const kinds = new Map<string, number>();
  const examples: { place: string; problem: string }[] = [];
  let operations = 0;
  let problems = 0;
  for await (const items of source.items()) {
    for (const { place, ...item } of items) {
      if (item.problem === undefined) {
        operations++;
        const kind = kindOf(item.operation);
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      } else {
        problems++;
        const { problem } = item;
        if (examples.length < EXAMPLES_MAX) examples.push({ place: source.locate(place), problem });
      }
    }
  }
  return { operations, kinds: Object.fromEntries(kinds), problems, examples };
}

function kindOf(operation: GraphOperation): string {
  if ('edge' in operation) return `${operation.op} ${operation.edge}`;
  return 'type' in operation ? `${operation.op} ${operation.type}` : operation.op;
}
