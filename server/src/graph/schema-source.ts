import { hash } from 'node:crypto';
import { must } from '#base/assert.ts';
import { DB } from '#store/databases.ts';
import type { KeyValueReader, WriteBatch } from '#store/key-value.ts';
import { META } from './keys.ts';
import { SchemaRegistry, type SchemaWatch } from './schema-registry.ts';

/**
 * The schema of a state. It is decoded once, and again only when its stamp has changed. The stamp
 * is a counter and a digest: a counter alone could repeat when a replica's state is replaced by one
 * with another history.
 */
export class SchemaSource {
  readonly #state: KeyValueReader;
  readonly #watch: SchemaWatch | undefined;
  #stamp: string | undefined;
  #registry: SchemaRegistry;

  /** `watch` is told what is asked of the schema. */
  constructor(state: KeyValueReader, watch?: SchemaWatch) {
    this.#state = state;
    this.#watch = watch;
    const { empty } = SchemaRegistry;
    this.#registry = watch === undefined ? empty : empty.watchedBy(watch);
  }

  get registry(): SchemaRegistry {
    return this.#registry;
  }

  /** Compares the stamp, and reads the schema again when it has changed. Returns whether it has. */
  revalidate(): boolean {
    const stored = this.#state.get(DB.meta, META.schemaStamp);
    // Every query comes here, so the stamp is compared without converting it to a string.
    if (isText(stored, this.#stamp)) return false;
    const stamp = stored === undefined ? undefined : stampText(stored);
    const registry =
      stamp === undefined
        ? SchemaRegistry.empty
        : SchemaRegistry.decode(must(this.#state.get(DB.meta, META.schema), 'the stored schema'));
    this.#registry = this.#watch === undefined ? registry : registry.watchedBy(this.#watch);
    this.#stamp = stamp;
    return true;
  }

  /** Puts a new schema into a commit. */
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

function isText(bytes: Uint8Array | undefined, text: string | undefined): boolean {
  if (bytes === undefined || text === undefined) return bytes === text;
  if (bytes.length !== text.length) return false;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false;
  return true;
}

function stampText(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
