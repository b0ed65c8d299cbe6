import { hash } from 'node:crypto';
import { must } from '#base/assert.ts';
import { DB } from '#store/databases.ts';
import type { KeyValueReader, WriteBatch } from '#store/key-value.ts';
import { META } from './keys.ts';
import { SchemaRegistry } from './schema-registry.ts';

/**
 * The schema as a state holds it, decoded once and again only when its stamp changed. The stamp is
 * a counter and a digest: a counter alone could repeat when a replica's state is replaced by one
 * with another history.
 */
export class SchemaSource {
  readonly #state: KeyValueReader;
  #stamp: string | undefined;
  #registry = SchemaRegistry.empty;

  constructor(state: KeyValueReader) {
    this.#state = state;
  }

  get registry(): SchemaRegistry {
    return this.#registry;
  }

  /** Compares the stamp and reads the schema anew when it changed; answers whether it did. */
  revalidate(): boolean {
    const stored = this.#state.get(DB.meta, META.schemaStamp);
    const stamp = stored === undefined ? undefined : stampText(stored);
    if (stamp === this.#stamp) return false;
    this.#registry =
      stamp === undefined
        ? SchemaRegistry.empty
        : SchemaRegistry.decode(must(this.#state.get(DB.meta, META.schema), 'the stored schema'));
    this.#stamp = stamp;
    return true;
  }

  /** Puts another schema into a commit. */
  write(batch: WriteBatch, registry: SchemaRegistry): void {
    const bytes = registry.encode();
    const counter = this.#stamp === undefined ? 0 : Number.parseInt(this.#stamp, 10);
    const stamp = `${counter + 1} ${hash('sha256', bytes).slice(0, 16)}`;
    batch.put(DB.meta, META.schema, bytes);
    batch.put(DB.meta, META.schemaStamp, new TextEncoder().encode(stamp));
    this.#registry = registry;
    this.#stamp = stamp;
  }
}

function stampText(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
