import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { Action } from '../command-context.ts';
import { readJson } from '../json-input.ts';

interface Options {
  readonly signal: AbortSignal;
}

/** Named sets on the server, each of which a file may hold. */
interface Sets<Content, Stored> {
  get(name: string, options: Options): Promise<Stored>;
  put(name: string, content: Content, options: Options): Promise<Stored>;
  delete(name: string, options: Options): Promise<unknown>;
}

interface SetKind<Content, Stored> {
  /** What one is called, such as "The golden set". */
  readonly title: string;
  sets(client: TrellisClient): Sets<Content, Stored>;
  /** What is sent of what a file has. */
  content(read: unknown): Content;
  /** Says what a set now has, such as "has 12 queries". */
  told(stored: Stored): string;
  /** Says that it is gone, such as "is deleted". */
  readonly deleted: string;
}

interface SetActions {
  /** Prints a set as a file for `put` has it: without its name and version. */
  readonly get: Action<object, [name: string]>;
  readonly put: Action<object, [name: string, file: string]>;
  readonly delete: Action<object, [name: string]>;
}

/** What `get`, `set` and `delete` do with named sets. */
export function setActions<
  Content,
  Stored extends { readonly name: string; readonly version?: number },
>(kind: SetKind<Content, Stored>): SetActions {
  const { title } = kind;
  return {
    async get({ client, output, terminal: { signal } }, _options, name) {
      const stored = await kind.sets(client).get(name, { signal });
      const { name: _, version: _version, ...content } = stored;
      output.data(content, JSON.stringify(content, undefined, 2));
    },
    async put({ client, output, terminal }, _options, name, file) {
      const content = kind.content(await readJson(terminal, file));
      const stored = await kind.sets(client).put(name, content, { signal: terminal.signal });
      output.note(`${title} ${name} ${kind.told(stored)}.`);
    },
    async delete({ client, output, terminal: { signal } }, _options, name) {
      await kind.sets(client).delete(name, { signal });
      output.note(`${title} ${name} ${kind.deleted}.`);
    },
  };
}
